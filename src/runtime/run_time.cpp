#include "runtime/run_time.h"

#include <sys/syscall.h>

#include "runtime/platform.h"

namespace ravel::rt {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
// A clock that begins at zero would let programs subtract below it.
constexpr std::uint64_t kMonotonicStart = 1000 * kSecond;

constinit bool time_is_virtual = false;
constinit std::uint64_t elapsed = 0;     ///< what has passed, or with real time, has been jumped over
constinit std::uint64_t real_start = 0;  ///< of CLOCK_MONOTONIC
constinit std::uint64_t realtime_start = 0;

std::uint64_t system_clock(clockid_t clock) {
  timespec now{};
  system_call(SYS_clock_gettime, clock, reinterpret_cast<long>(&now));
  return static_cast<std::uint64_t>(now.tv_sec) * kSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

/// What the clock showed when the run began; 0: not a clock of the run.
std::uint64_t origin(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return realtime_start;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
      return time_is_virtual ? kMonotonicStart : real_start;
    default:
      return 0;
  }
}

std::uint64_t nanoseconds(const timespec& time) {
  return time.tv_sec < 0
             ? 0
             : static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

void start_run_time(bool is_virtual, std::uint64_t start) {
  time_is_virtual = is_virtual;
  elapsed = 0;
  real_start = system_clock(CLOCK_MONOTONIC);
  realtime_start = start != 0 ? start : clock_nanoseconds();
}

std::uint64_t run_time() {
  return time_is_virtual ? elapsed : system_clock(CLOCK_MONOTONIC) - real_start + elapsed;
}

void pass_time(std::uint64_t nanoseconds) {
  if (time_is_virtual) elapsed += nanoseconds;
}

void jump_to(std::uint64_t time) {
  if (const std::uint64_t now = run_time(); time > now) elapsed += time - now;
}

bool show_clock(clockid_t clock, timespec& now) {
  const std::uint64_t start = origin(clock);
  if (start == 0) return false;
  const std::uint64_t shown = start + run_time();
  now = {static_cast<time_t>(shown / kSecond), static_cast<long>(shown % kSecond)};
  return true;
}

std::uint64_t deadline_of(clockid_t clock, const timespec* time) {
  if (time == nullptr) return UINT64_MAX;
  const std::uint64_t start = origin(clock), at = nanoseconds(*time);
  return at > start ? at - start : 0;
}

std::uint64_t deadline_in(const timespec& time) { return run_time() + nanoseconds(time); }

timespec time_of_world(clockid_t clock, const timespec& time) {
  const std::uint64_t deadline = deadline_of(clock, &time), now = run_time();
  const std::uint64_t at = system_clock(clock) + (deadline > now ? deadline - now : 0);
  return {static_cast<time_t>(at / kSecond), static_cast<long>(at % kSecond)};
}

}  // namespace ravel::rt
