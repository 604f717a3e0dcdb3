// CodeIndex: from a code address to the functions and lines it belongs to, by the file's DWARF. For this
// module only.
#pragma once

#include <elfutils/libdw.h>

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "symbol/names.h"

namespace ravel {

/// Units are indexed when the first address in them is asked for. (libdw's own index is .debug_aranges, which
/// clang does not write.)
class CodeIndex {
 public:
  /// `dwarf` outlives this. `entry_limit`: how many entries a unit can have at most.
  CodeIndex(Dwarf* dwarf, std::uint64_t entry_limit);

  /// Innermost first; empty: nothing known. `address` as DWARF counts. Compilers leave linkage names out: of
  /// functions no other unit can call, the qualified name stands for it, of others it is left empty.
  std::vector<SourceFrame> frames(std::uint64_t address);

 private:
  struct Range {
    std::uint64_t begin = 0, end = 0;
    std::size_t index = 0;
  };
  struct Unit {
    Dwarf_Die head;  ///< has the ranges and the lines
    Dwarf_Die body;  ///< has the entries: `head`, or what it is the skeleton of
    bool indexed = false;
    std::vector<Range> ranges;         ///< of functions
    std::vector<Dwarf_Die> functions;  ///< Range::index
    /// "ns::Class::" around functions without linkage names, by Dwarf_Die::addr.
    boost::unordered_flat_map<const void*, std::string> scopes = {};
  };
  struct Location {
    std::string file;
    std::uint32_t line = 0, column = 0;
  };

  static const Range* find(const std::vector<Range>& ranges, std::uint64_t address);
  /// False: the entry has no code.
  static bool add_ranges(Dwarf_Die die, std::size_t index, std::vector<Range>& ranges);
  void index_functions(Unit& unit) const;
  static void collect(Dwarf_Die die, Unit& unit, const std::string& scope, std::uint64_t& budget, int depth);
  static void describe_function(const Unit& unit, Dwarf_Die die, SourceFrame& frame);
  static Location line_of(Unit& unit, std::uint64_t address, std::uint64_t function_begin);

  std::uint64_t entry_limit_;
  std::vector<Unit> units_;
  std::vector<Range> ranges_;  ///< of units_, in order
};

}  // namespace ravel
