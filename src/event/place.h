// Where an event happened: a line of the program, code in one of its modules, or a location the trace made up
// itself.
#pragma once

#include <cstdint>
#include <string>

#include "event/ids.h"

namespace ravel {

/// An executable file or library as a recorded process had it in memory.
struct Module {
  std::string path;
  std::string build_id;    ///< hexadecimal; empty: it has none
  std::uint64_t base = 0;  ///< where its first byte was mapped
  std::uint64_t bias = 0;  ///< a run-time address minus this is an address as in the file
  std::uint64_t size = 0;  ///< bytes of memory from `base` on

  friend bool operator==(const Module&, const Module&) = default;
};

/// A place is in a source file or, as a recorder sees it, in a module; a symboliser turns the second form
/// into the first.
struct Place {
  std::string file;          ///< empty: the trace has numbers only; of code in a module: the module's path
  std::uint64_t line = 0;    ///< line of the file, or the trace's own location number
  std::string function;      ///< linkage name of the innermost (inlined) function; empty: unknown
  ModuleId module = {};      ///< invalid unless this is code in a module
  std::uint64_t offset = 0;  ///< then: its address as in the module's file
  /// And then: the accesses that it stands for were at several places, of which this is one.
  bool one_of_several = false;

  friend bool operator==(const Place&, const Place&) = default;

  /// "file:line", "module+0xoffset", or the bare number when there is no file.
  std::string text() const;
};

}  // namespace ravel
