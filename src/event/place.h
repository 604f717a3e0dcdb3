// Where an event happened: a line of the program, or a location the trace made up itself.
#pragma once

#include <cstdint>
#include <string>

namespace ravel {

struct Place {
  std::string file;        ///< empty: the trace has numbers only
  std::uint64_t line = 0;  ///< line of the file, or the trace's own location number
  std::string function;    ///< linkage name of the innermost (inlined) function; empty: unknown

  friend bool operator==(const Place&, const Place&) = default;

  /// "file:line", or the bare number when there is no file.
  std::string text() const { return file.empty() ? std::to_string(line) : file + ":" + std::to_string(line); }
};

}  // namespace ravel
