// ScopeIndex: the variables with a fixed address and the types of a file, with the namespaces, classes and
// functions around them. For this module only.
#pragma once

#include <elfutils/libdw.h>

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ravel {

/// Made by one walk over all entries of the file (an entry does not know what is around it).
class ScopeIndex {
 public:
  struct Variable {
    std::uint64_t begin = 0, end = 0;
    Dwarf_Die die;
    std::uint32_t scope = 0;                     ///< index for scope()
    std::optional<std::uint32_t> local_to = {};  ///< index for function(): a static variable within it
  };

  /// `dwarf` outlives this. `entry_limit`: how many entries the file can have at most.
  ScopeIndex(Dwarf* dwarf, std::uint64_t entry_limit);

  /// The variable that `address`, as DWARF counts, is in; null: none.
  const Variable* variable(std::uint64_t address) const;
  Dwarf_Die function(std::uint32_t index) const { return functions_[index]; }
  const std::string& scope(std::uint32_t index) const { return scopes_[index]; }  ///< "ns::Class::" or ""

  /// "ns::Class::" of a type's entry.
  const std::string& scope_of(Dwarf_Die type) const;
  /// The definition of a class, by its qualified name.
  std::optional<Dwarf_Die> definition(const std::string& name) const;

 private:
  struct Around {
    std::uint32_t scope = 0;
    std::optional<std::uint32_t> function = {};
    int depth = 0;
  };

  void walk(Dwarf_Die die, const Around& around);
  void visit(Dwarf_Die child, Around around);
  void add_variable(Dwarf_Die die, const Around& around);
  void add_type(Dwarf_Die die, std::uint32_t scope);
  std::uint32_t scope_within(std::uint32_t outer, Dwarf_Die die);

  std::uint64_t budget_;
  std::vector<std::string> scopes_ = {""};
  std::vector<Dwarf_Die> functions_;
  std::vector<Variable> variables_;
  boost::unordered_flat_map<const void*, std::uint32_t>
      type_scopes_;  ///< by Dwarf_Die::addr; not the outermost
  boost::unordered_flat_map<std::string, Dwarf_Die> definitions_;
};

}  // namespace ravel
