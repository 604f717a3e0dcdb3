// What calls that let time pass do in a controlled run.
#pragma once

#include <time.h>

#include "runtime/recorder.h"

namespace ravel::rt {

/// Whether one can sleep for so long.
bool is_sleep(const timespec* time);
/// 0, or EINTR: a signal has come first; `left` is what is missing then.
int sleep_until(std::uint64_t deadline, timespec* left, Pc pc);
/// As the system call of this name; with flags 0 as nanosleep.
int sleep_by_clock(clockid_t clock, int flags, const timespec& time, timespec* left, Pc pc);

/// The program looks at a clock. False: that one is not of the run.
bool look_at(clockid_t clock, timespec& now);

}  // namespace ravel::rt
