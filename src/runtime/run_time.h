// The time of a controlled run: it grows a little with every step and every look at a clock, and jumps when a
// thread that waits for it is chosen. The program's clocks show it, unless they shall show the world's, with
// the jumps added.
#pragma once

#include <time.h>

#include <cstdint>

namespace ravel::rt {

/// `start`: what the clock of the world shows when the run begins, in nanoseconds; 0: what it shows now.
void start_run_time(bool is_virtual, std::uint64_t start);

/// Nanoseconds since the run began.
std::uint64_t run_time();
void pass_time(std::uint64_t nanoseconds);
void jump_to(std::uint64_t time);

/// What the program's clock shows. False: that clock is not of the run (processor time).
bool show_clock(clockid_t clock, timespec& now);
/// When a clock will show this, as run_time; UINT64_MAX for no time at all (null).
std::uint64_t deadline_of(clockid_t clock, const timespec* time);
std::uint64_t deadline_in(const timespec& time);
/// What the clock will show in the world when so much time has passed that it would show this in the run.
timespec time_of_world(clockid_t clock, const timespec& time);

inline bool is_time(const timespec* time) {
  return time == nullptr || (time->tv_nsec >= 0 && time->tv_nsec < 1'000'000'000);
}

}  // namespace ravel::rt
