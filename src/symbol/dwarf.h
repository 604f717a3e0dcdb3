// Small words for reading DWARF with libdw. For the .cpp files of this module only.
//
// Nothing here trusts the file: a walk stops at entries that do not come one after the other, and everything
// that follows references has a limit.
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ravel::dwarf {

inline constexpr int kMaxDepth = 256;

/// The attribute, also if only the entry's origin or declaration has it.
inline std::optional<Dwarf_Attribute> attribute(Dwarf_Die die, unsigned name) {
  Dwarf_Attribute found;
  if (dwarf_attr_integrate(&die, name, &found) == nullptr) return std::nullopt;
  return found;
}

inline int tag(Dwarf_Die die) { return dwarf_tag(&die); }

/// Bytes of an object of the type; 0: unknown.
inline std::uint64_t size(Dwarf_Die type) {
  Dwarf_Word bytes = 0;
  return dwarf_aggregate_size(&type, &bytes) == 0 ? bytes : 0;
}

/// Of this very entry.
inline bool has(Dwarf_Die die, unsigned name) { return dwarf_hasattr(&die, name) != 0; }

inline std::optional<std::uint64_t> number(Dwarf_Die die, unsigned name) {
  auto found = attribute(die, name);
  Dwarf_Word value = 0;
  if (!found || dwarf_formudata(&*found, &value) != 0) return std::nullopt;
  return value;
}

inline std::uint32_t small_number(Dwarf_Die die, unsigned name) {
  const std::uint64_t value = number(die, name).value_or(0);
  return value <= UINT32_MAX ? static_cast<std::uint32_t>(value) : 0;
}

inline bool flag(Dwarf_Die die, unsigned name) {
  Dwarf_Attribute found;
  bool value = false;
  return dwarf_attr(&die, name, &found) != nullptr && dwarf_formflag(&found, &value) == 0 && value;
}

/// Empty: there is none.
inline std::string_view text(Dwarf_Die die, unsigned name) {
  auto found = attribute(die, name);
  const char* value = found ? dwarf_formstring(&*found) : nullptr;
  return value != nullptr ? std::string_view(value) : std::string_view();
}

inline std::string_view name(Dwarf_Die die) { return text(die, DW_AT_name); }

inline std::string_view linkage_name(Dwarf_Die die) {
  const std::string_view value = text(die, DW_AT_linkage_name);
  return value.empty() ? text(die, DW_AT_MIPS_linkage_name) : value;
}

inline std::optional<Dwarf_Die> reference(Dwarf_Die die, unsigned name) {
  auto found = attribute(die, name);
  Dwarf_Die target;
  if (!found || dwarf_formref_die(&*found, &target) == nullptr) return std::nullopt;
  return target;
}

/// Of this very entry.
inline std::optional<Dwarf_Die> own_reference(Dwarf_Die die, unsigned name) {
  Dwarf_Attribute found;
  Dwarf_Die target;
  if (dwarf_attr(&die, name, &found) == nullptr || dwarf_formref_die(&found, &target) == nullptr)
    return std::nullopt;
  return target;
}

inline std::optional<Dwarf_Die> type(Dwarf_Die die) { return reference(die, DW_AT_type); }

/// Calls visit(child) for each child until it returns false.
template <typename Visit>
void for_each_child(Dwarf_Die die, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(&die, &child) != 0) return;
  while (visit(child)) {
    Dwarf_Die next;
    if (dwarf_siblingof(&child, &next) != 0 || next.addr <= child.addr) return;
    child = next;
  }
}

/// "ns::Class::" for what is within `die`, a namespace, class or function, which is itself within `outer`.
std::string scope_within(const std::string& outer, Dwarf_Die die);
/// The path of a file of a line table, as short as it can be written.
std::string file_path(const char* path);
/// Where the entry is declared; empty: unknown.
std::string declared_in(Dwarf_Die die);

}  // namespace ravel::dwarf
