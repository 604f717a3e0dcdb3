// Types: names of types, layouts of classes, and what lies at an offset within an object. For this module
// only.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>

#include "symbol/names.h"
#include "symbol/scope_index.h"

namespace ravel {

class Types {
 public:
  explicit Types(const ScopeIndex& scopes) : scopes_(scopes) {}

  std::string name(Dwarf_Die type) const { return name(type, 0); }
  /// 0: unknown.
  std::uint64_t size(Dwarf_Die type) const { return size(type, 0); }
  std::optional<ClassLayout> layout(const std::string& name) const;
  std::optional<Dwarf_Die> find(const std::string& name) const { return scopes_.definition(name); }

  /// ".limits[3].soft": the smallest part of an object of `type` that begins at or before `offset`. Members
  /// the standard library hides ("_M_mutex") are not named: the path of a byte of a std::mutex ends at the
  /// mutex.
  std::string path(Dwarf_Die type, std::uint64_t offset) const;

 private:
  struct Member {
    Dwarf_Die die;
    std::optional<Dwarf_Die> type;
    std::uint64_t first_bit = 0, bits = 0;  ///< from the start of the class
    bool is_bit_field = false;
    bool is_base = false;
  };

  std::string name(Dwarf_Die type, int depth) const;
  std::uint64_t size(Dwarf_Die type, int depth) const;
  std::string array_name(Dwarf_Die type, int depth) const;
  /// Behind typedefs and qualifiers; the definition of what is only declared.
  std::optional<Dwarf_Die> peel(Dwarf_Die type) const;
  std::optional<Member> member(Dwarf_Die die) const;
  void append_path(Dwarf_Die type, std::uint64_t offset, int depth, std::string& path) const;
  void append_element(Dwarf_Die array, std::uint64_t offset, bool named, int depth, std::string& path) const;
  void append_member(Dwarf_Die type, std::uint64_t offset, int depth, std::string& path) const;

  const ScopeIndex& scopes_;
};

}  // namespace ravel
