// RAVEL_OPTIONS: what a program compiled with ravel shall do, as `key=value` separated by colons.
//
//   record=DIR     record to DIR/PROGRAM.PID.rvl
//   filter=LEVEL   owner (default), segment, none or all: which accesses are dropped
//   schedule=FILE  one thread runs at a time, as the schedule says (docs/schedule.md)
//   max-size=N     bytes of the recording, with K, M or G; it ends there, the program goes on
// A byte of a value may be written %XX, as two hexadecimal digits.
#pragma once

#include <cstdint>

#include "runtime/recorder.h"

namespace ravel::rt {

struct Options {
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{16} << 30;

  char record[4096] = {};
  char schedule[4096] = {};
  FilterLevel filter = FilterLevel::Owner;
  std::uint64_t max_bytes = kMaxBytes;

  /// False, after a message: the text is wrong. Null is right.
  bool read(const char* text);
};

}  // namespace ravel::rt
