// Small traces as programs: every thread does what it did, in whatever order a schedule lets them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "witness/small_trace.h"

namespace ravel {

/// Numbers the hooks of each thread as a recorder does.
SmallTrace with_ordinals(SmallTrace trace);

/// Runs the threads of the trace under the schedule (JSON), one step at a time, until nobody can go on.
/// Positions of the events that a schedule can hold back, in the order in which they ran. Locks, forks and
/// joins block, nothing else does.
std::vector<std::uint64_t> run_under(const SmallTrace& trace, const std::string& schedule);

}  // namespace ravel
