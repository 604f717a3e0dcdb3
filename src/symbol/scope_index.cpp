#include "symbol/scope_index.h"

#include <algorithm>

#include "symbol/dwarf.h"

namespace ravel {
namespace {

std::optional<std::uint64_t> fixed_address(Dwarf_Die die) {
  auto location = dwarf::attribute(die, DW_AT_location);
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (!location || dwarf_getlocation(&*location, &operations, &count) != 0 || count != 1) return std::nullopt;
  if (operations[0].atom == DW_OP_addr) return operations[0].number;
  if (operations[0].atom != DW_OP_addrx && operations[0].atom != DW_OP_GNU_addr_index) return std::nullopt;
  Dwarf_Attribute indirect;
  Dwarf_Addr address = 0;
  if (dwarf_getlocation_attr(&*location, operations, &indirect) != 0 ||
      dwarf_formaddr(&indirect, &address) != 0)
    return std::nullopt;
  return address;
}

}  // namespace

ScopeIndex::ScopeIndex(Dwarf* dwarf, std::uint64_t entry_limit) : budget_(entry_limit) {
  Dwarf_CU* cu = nullptr;
  Dwarf_Die head, skeleton_of;
  std::uint8_t kind = 0;
  std::vector<Dwarf_Die> compiled;
  bool has_type_units = false;
  for (Dwarf_CU* next = nullptr; dwarf_get_units(dwarf, cu, &next, nullptr, &kind, &head, &skeleton_of) == 0;
       cu = next) {
    walk(kind == DW_UT_skeleton && skeleton_of.addr != nullptr ? skeleton_of : head, {});
    if (kind == DW_UT_compile) compiled.push_back(head);
    has_type_units |= kind == DW_UT_type || kind == DW_UT_split_type;
  }
  // Type units share the line tables of others but do not know the directory, and libdw keeps what it reads
  // first.
  if (has_type_units) {
    for (Dwarf_Die& unit : compiled) {
      Dwarf_Files* files = nullptr;
      std::size_t count = 0;
      dwarf_getsrcfiles(&unit, &files, &count);
    }
  }
  // Units that share a variable (an inline one, say) all describe it: the first one does.
  std::ranges::sort(variables_, {},
                    [](const Variable& variable) { return std::pair(variable.begin, variable.die.addr); });
  const auto repeated = std::ranges::unique(variables_, {}, &Variable::begin);
  variables_.erase(repeated.begin(), repeated.end());
}

void ScopeIndex::walk(Dwarf_Die die, const Around& around) {
  if (around.depth > dwarf::kMaxDepth) return;
  dwarf::for_each_child(die, [&](Dwarf_Die& child) {
    if (budget_ == 0) return false;
    --budget_;
    visit(child, {.scope = around.scope, .function = around.function, .depth = around.depth + 1});
    return true;
  });
}

void ScopeIndex::visit(Dwarf_Die child, Around around) {
  switch (dwarf::tag(child)) {
    case DW_TAG_variable:
      add_variable(child, around);
      return;
    case DW_TAG_namespace:
      around.scope = scope_within(around.scope, child);
      walk(child, around);
      return;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      // In a type unit g++ declares the class within its namespace and defines it outside.
      if (const auto declared = dwarf::own_reference(child, DW_AT_specification)) {
        const auto known = type_scopes_.find(declared->addr);
        if (known != type_scopes_.end()) around.scope = known->second;
      }
      add_type(child, around.scope);
      around.scope = scope_within(around.scope, child);
      walk(child, around);
      return;
    case DW_TAG_enumeration_type:
    case DW_TAG_typedef:
      add_type(child, around.scope);
      return;
    case DW_TAG_subprogram:
      if (dwarf::flag(child, DW_AT_declaration)) return;
      around.function = static_cast<std::uint32_t>(functions_.size());
      functions_.push_back(child);
      around.scope = scope_within(around.scope, child);
      walk(child, around);
      return;
    case DW_TAG_lexical_block:
    case DW_TAG_common_block:
      walk(child, around);
      return;
    default:  // inlined subroutines repeat what their origin has
      return;
  }
}

std::uint32_t ScopeIndex::scope_within(std::uint32_t outer, Dwarf_Die die) {
  std::string text = dwarf::scope_within(scopes_[outer], die);
  if (text == scopes_[outer]) return outer;
  if (scopes_.back() != text) scopes_.push_back(std::move(text));
  return static_cast<std::uint32_t>(scopes_.size() - 1);
}

void ScopeIndex::add_variable(Dwarf_Die die, const Around& around) {
  if (!dwarf::has(die, DW_AT_location)) return;
  const auto address = fixed_address(die);
  if (!address || *address == 0) return;
  const auto type = dwarf::type(die);
  const std::uint64_t size = type ? dwarf::size(*type) : 0;
  // The type may be defined elsewhere: then at least its first byte is known.
  const std::uint64_t end = *address + std::max<std::uint64_t>(size, 1);
  if (end < *address) return;
  variables_.push_back(
      {.begin = *address, .end = end, .die = die, .scope = around.scope, .local_to = around.function});
}

void ScopeIndex::add_type(Dwarf_Die die, std::uint32_t scope) {
  if (scope != 0) type_scopes_.emplace(die.addr, scope);
  const int tag = dwarf::tag(die);
  const std::string_view name = dwarf::name(die);
  if (name.empty() || tag == DW_TAG_enumeration_type || dwarf::flag(die, DW_AT_declaration)) return;
  definitions_.try_emplace(scopes_[scope] + std::string(name), die);
}

const ScopeIndex::Variable* ScopeIndex::variable(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(variables_, address, {}, &Variable::begin);
  if (after == variables_.begin() || address >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

const std::string& ScopeIndex::scope_of(Dwarf_Die type) const {
  const auto found = type_scopes_.find(type.addr);
  return scopes_[found == type_scopes_.end() ? 0 : found->second];
}

std::optional<Dwarf_Die> ScopeIndex::definition(const std::string& name) const {
  const auto found = definitions_.find(name);
  if (found == definitions_.end()) return std::nullopt;
  return found->second;
}

}  // namespace ravel
