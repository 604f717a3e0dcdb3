// What a piece of work costs, measured in a process of its own, so that CPU time and peak memory are its own.
#pragma once

#include <functional>
#include <string>

#include "event/result.h"

namespace ravel {

struct Cost {
  double cpu_seconds = 0;  ///< user and system time
  double peak_megabytes = 0;
};

/// Ends the program: a benchmark has no use for half of its results.
[[noreturn]] void die(const std::string& message);

Cost measure_once(const std::function<Result<void>()>& work);
/// The best of several runs: whatever else a shared machine does only ever adds to them.
Cost measure(int runs, const std::function<Result<void>()>& work);

}  // namespace ravel
