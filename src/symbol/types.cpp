#include "symbol/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "symbol/dwarf.h"

namespace ravel {
namespace {

constexpr int kMaxNesting = 64;
constexpr std::size_t kMaxDimensions = 16;
constexpr std::size_t kMaxNameBytes = 4096;
/// Offsets and sizes beyond this are no program's.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 48;

/// Number of elements of each dimension; 0: unknown.
std::vector<std::uint64_t> dimensions(Dwarf_Die array) {
  std::vector<std::uint64_t> counts;
  dwarf::for_each_child(array, [&](Dwarf_Die& child) {
    if (dwarf::tag(child) != DW_TAG_subrange_type) return true;
    std::uint64_t count = dwarf::number(child, DW_AT_count).value_or(0);
    if (const auto last = dwarf::number(child, DW_AT_upper_bound); last && *last < kMaxBytes)
      count = *last + 1;
    counts.push_back(std::min(count, kMaxBytes));
    return counts.size() < kMaxDimensions;
  });
  return counts;
}

bool is_class(Dwarf_Die type) {
  const int tag = dwarf::tag(type);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/// A name the language reserves for the implementation.
bool is_reserved(std::string_view name) {
  return name.size() > 1 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

/// The elements of a std::array (libstdc++, libc++) are those of the variable itself.
bool is_std_array_storage(std::string_view name) { return name == "_M_elems" || name == "__elems_"; }

}  // namespace

std::optional<Dwarf_Die> Types::peel(Dwarf_Die type) const {
  for (int i = 0; i < kMaxNesting; ++i) {
    switch (dwarf::tag(type)) {
      case DW_TAG_typedef:
      case DW_TAG_const_type:
      case DW_TAG_volatile_type:
      case DW_TAG_restrict_type:
      case DW_TAG_atomic_type: {
        const auto next = dwarf::type(type);
        if (!next) return std::nullopt;
        type = *next;
        break;
      }
      default:
        if (const auto in_type_unit = dwarf::own_reference(type, DW_AT_signature)) return in_type_unit;
        if (!dwarf::flag(type, DW_AT_declaration)) return type;
        return scopes_.definition(name(type));
    }
  }
  return std::nullopt;
}

std::uint64_t Types::size(Dwarf_Die type, int depth) const {
  const auto peeled = peel(type);
  if (!peeled || depth > kMaxNesting) return 0;
  std::uint64_t bytes = dwarf::size(*peeled);
  // libdw does not look for element types that are defined elsewhere.
  if (bytes == 0 && dwarf::tag(*peeled) == DW_TAG_array_type) {
    const auto element = dwarf::type(*peeled);
    bytes = element ? size(*element, depth + 1) : 0;
    for (const std::uint64_t count : dimensions(*peeled))
      if (__builtin_mul_overflow(bytes, count, &bytes)) return 0;
  }
  return bytes < kMaxBytes ? bytes : 0;
}

std::string Types::name(Dwarf_Die type, int depth) const {
  if (depth > kMaxNesting) return "?";
  const auto inner = [&] {
    const auto next = dwarf::type(type);
    return next ? name(*next, depth + 1) : std::string("void");
  };
  switch (dwarf::tag(type)) {
    case DW_TAG_pointer_type:
      return inner() + "*";
    case DW_TAG_reference_type:
      return inner() + "&";
    case DW_TAG_rvalue_reference_type:
      return inner() + "&&";
    case DW_TAG_const_type:
      return "const " + inner();
    case DW_TAG_volatile_type:
      return "volatile " + inner();
    case DW_TAG_restrict_type:
      return inner();
    case DW_TAG_atomic_type:
      return "_Atomic " + inner();
    case DW_TAG_array_type:
      return array_name(type, depth);
    case DW_TAG_subroutine_type:
      return inner() + "()";
    default:
      break;
  }
  const std::string_view own = dwarf::name(type);
  if (!own.empty()) return scopes_.scope_of(type) + std::string(own.substr(0, kMaxNameBytes));
  if (const auto in_type_unit = dwarf::own_reference(type, DW_AT_signature))
    return name(*in_type_unit, depth + 1);
  switch (dwarf::tag(type)) {
    case DW_TAG_union_type:
      return "(anonymous union)";
    case DW_TAG_enumeration_type:
      return "(anonymous enum)";
    case DW_TAG_class_type:
      return "(anonymous class)";
    default:
      return "(anonymous struct)";
  }
}

std::string Types::array_name(Dwarf_Die type, int depth) const {
  const auto element = dwarf::type(type);
  std::string text = element ? name(*element, depth + 1) : "?";
  for (const std::uint64_t count : dimensions(type)) text += count > 0 ? fmt::format("[{}]", count) : "[]";
  return text;
}

std::optional<Types::Member> Types::member(Dwarf_Die die) const {
  Member found{.die = die, .type = dwarf::type(die)};
  const int tag = dwarf::tag(die);
  if (tag != DW_TAG_member && tag != DW_TAG_inheritance) return std::nullopt;
  // Static members (as DWARF 4 writes them) are declarations; virtual bases are found at run time.
  if (dwarf::flag(die, DW_AT_declaration) || dwarf::flag(die, DW_AT_external)) return std::nullopt;
  if (dwarf::has(die, DW_AT_virtuality) && dwarf::number(die, DW_AT_virtuality).value_or(0) != 0)
    return std::nullopt;
  found.is_base = tag == DW_TAG_inheritance;
  const std::uint64_t offset = dwarf::number(die, DW_AT_data_member_location).value_or(0);
  if (offset > kMaxBytes || !found.type) return std::nullopt;
  found.first_bit = 8 * offset;
  found.bits = 8 * size(*found.type);
  if (const auto bits = dwarf::number(die, DW_AT_bit_size); bits && *bits <= 8 * sizeof(std::uint64_t) * 2) {
    found.is_bit_field = true;
    if (const auto first = dwarf::number(die, DW_AT_data_bit_offset)) {
      if (*first > 8 * kMaxBytes) return std::nullopt;
      found.first_bit += *first;
    } else if (const auto from_top = dwarf::number(die, DW_AT_bit_offset)) {
      // The old way: counted from the most significant bit of the storage unit.
      const std::uint64_t unit = 8 * dwarf::number(die, DW_AT_byte_size).value_or(size(*found.type));
      if (unit > 8 * kMaxBytes || *from_top > unit || unit - *from_top < *bits) return std::nullopt;
      found.first_bit += unit - *from_top - *bits;
    }
    found.bits = *bits;
  }
  return found;
}

std::optional<ClassLayout> Types::layout(const std::string& name) const {
  const auto named = find(name);
  const auto type = named ? peel(*named) : std::nullopt;
  if (!type || !is_class(*type)) return std::nullopt;
  ClassLayout layout{.name = this->name(*type),
                     .file = dwarf::declared_in(*type),
                     .line = dwarf::small_number(*type, DW_AT_decl_line),
                     .size = size(*type),
                     .is_union = dwarf::tag(*type) == DW_TAG_union_type,
                     .fields = {}};
  dwarf::for_each_child(*type, [&](Dwarf_Die& child) {
    const auto found = member(child);
    if (!found) return true;
    Field field{.name = found->is_base ? "" : std::string(dwarf::name(child)),
                .type = this->name(*found->type)};
    field.offset = found->first_bit / 8;
    field.size = (found->first_bit % 8 + found->bits + 7) / 8;
    field.base = found->is_base;
    if (found->is_bit_field) {
      field.bit_offset = static_cast<std::uint32_t>(found->first_bit % 8);
      field.bit_size = static_cast<std::uint32_t>(found->bits);
    }
    if (auto array = peel(*found->type); array && dwarf::tag(*array) == DW_TAG_array_type) {
      const auto element = dwarf::type(*array);
      const std::uint64_t bytes = element ? size(*element) : 0;
      field.elements = bytes > 0 ? field.size / bytes : 0;
    }
    layout.fields.push_back(std::move(field));
    return true;
  });
  return layout;
}

std::string Types::path(Dwarf_Die type, std::uint64_t offset) const {
  std::string path;
  append_path(type, offset, 0, path);
  return path;
}

void Types::append_path(Dwarf_Die type, std::uint64_t offset, int depth, std::string& path) const {
  const auto peeled = peel(type);
  if (!peeled || depth > kMaxNesting || path.size() > kMaxNameBytes) return;
  if (dwarf::tag(*peeled) == DW_TAG_array_type)
    append_element(*peeled, offset, true, depth + 1, path);
  else if (is_class(*peeled))
    append_member(*peeled, offset, depth + 1, path);
}

void Types::append_element(Dwarf_Die array, std::uint64_t offset, bool named, int depth,
                           std::string& path) const {
  const auto element = dwarf::type(array);
  const std::uint64_t bytes = element ? size(*element) : 0;
  if (bytes == 0) return;
  std::vector<std::uint64_t> counts = dimensions(array);
  std::uint64_t index = offset / bytes;
  std::string indices;
  for (std::size_t i = counts.size(); i-- > 1;) {
    if (counts[i] == 0) return;
    indices.insert(0, fmt::format("[{}]", index % counts[i]));
    index /= counts[i];
  }
  if (named) path += fmt::format("[{}]", index) + indices;
  append_path(*element, offset % bytes, depth, path);
}

void Types::append_member(Dwarf_Die type, std::uint64_t offset, int depth, std::string& path) const {
  const bool hides = is_system_file(dwarf::declared_in(type));
  std::optional<Member> found;
  std::string bit_fields;
  dwarf::for_each_child(type, [&](Dwarf_Die& child) {
    const auto candidate = member(child);
    if (!candidate || candidate->bits == 0) return true;
    const std::uint64_t first = candidate->first_bit / 8;
    const std::uint64_t end = (candidate->first_bit + candidate->bits + 7) / 8;
    if (offset < first || offset >= end) return true;
    if (!candidate->is_bit_field) {
      found = candidate;
      return false;
    }
    // Bit fields of one byte are read and written together.
    if (!bit_fields.empty()) bit_fields += '|';
    bit_fields += dwarf::name(child);
    return bit_fields.size() < kMaxNameBytes;
  });
  if (!bit_fields.empty()) {
    path.append(".").append(bit_fields);
    return;
  }
  if (!found) return;
  const std::string_view name = found->is_base ? "" : dwarf::name(found->die);
  const bool hidden = hides && is_reserved(name);
  if (!hidden && !name.empty()) path.append(".").append(name);
  const auto inner = peel(*found->type);
  const std::uint64_t rest = offset - found->first_bit / 8;
  if (inner && hidden && dwarf::tag(*inner) == DW_TAG_array_type)
    append_element(*inner, rest, is_std_array_storage(name), depth, path);
  else
    append_path(*found->type, rest, depth, path);
}

}  // namespace ravel
