// Calls that let time pass or let others run, and the clocks.
//
// In a controlled run sleeping takes no time: who sleeps waits for the token like others, and when it is
// given to him, his time has come.
#include "runtime/intercept_sleep.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/intercept.h"
#include "runtime/run_time.h"

RAVEL_REAL(nanosleep)
RAVEL_REAL(clock_nanosleep)
RAVEL_REAL(usleep)
RAVEL_REAL(sleep)
RAVEL_REAL_TYPED(thrd_sleep, int (*)(const timespec*, timespec*))
RAVEL_REAL(sched_yield)
RAVEL_REAL(clock_gettime)
RAVEL_REAL_TYPED(gettimeofday, int (*)(timeval*, void*))
RAVEL_REAL(time)
RAVEL_REAL(timespec_get)

namespace ravel::rt {
namespace {

constexpr long kSecond = 1'000'000'000;
constexpr std::uint64_t kLookTime =
    100;  // nanoseconds that a look at a clock takes: who waits by looking, ends

int sleep_for(const timespec& time, timespec* left, Pc pc) {
  const int error = sleep_until(deadline_in(time), left, pc);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int yield(Pc pc) {
  if (acting_thread() == nullptr || !controlled) return real_sched_yield()();
  reach({.kind = OperationKind::Yield, .pc = pc});
  return 0;
}

/// Whether the thread, in an interceptor, sleeps by the run's time.
bool sleeps_virtually(const timespec* time) {
  return acting_thread() != nullptr && controlled && is_sleep(time);
}

}  // namespace

int sleep_until(std::uint64_t deadline, timespec* left, Pc pc) {
  const Operation operation{.kind = OperationKind::Sleep, .pc = pc};
  reach(operation);
  Waking waking = Waking::Woken;
  while (waking == Waking::Woken) {
    pthread_testcancel();
    waking = wait_for(operation, {.deadline = deadline});
  }
  if (waking == Waking::TimedOut) return 0;
  const std::uint64_t now = run_time();
  const std::uint64_t missing = deadline > now ? deadline - now : 0;
  if (left != nullptr) *left = {static_cast<time_t>(missing / kSecond), static_cast<long>(missing % kSecond)};
  return EINTR;
}

int sleep_by_clock(clockid_t clock, int flags, const timespec& time, timespec* left, Pc pc) {
  return (flags & TIMER_ABSTIME) != 0 ? sleep_until(deadline_of(clock, &time), nullptr, pc)
                                      : sleep_until(deadline_in(time), left, pc);
}

bool is_sleep(const timespec* time) { return time != nullptr && is_time(time) && time->tv_sec >= 0; }

bool look_at(clockid_t clock, timespec& now) {
  if (!controlled || !show_clock(clock, now)) return false;
  pass_time(kLookTime);
  return true;
}

}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(int, nanosleep, const timespec* time, timespec* left) {
  return sleeps_virtually(time) ? sleep_for(*time, left, RAVEL_CALLER) : real_nanosleep()(time, left);
}
RAVEL_INTERCEPT(int, clock_nanosleep, clockid_t clock, int flags, const timespec* time, timespec* left) {
  return sleeps_virtually(time) ? sleep_by_clock(clock, flags, *time, left, RAVEL_CALLER)
                                : real_clock_nanosleep()(clock, flags, time, left);
}
RAVEL_INTERCEPT(int, usleep, useconds_t microseconds) {
  const timespec time{microseconds / 1'000'000, static_cast<long>(microseconds % 1'000'000) * 1000};
  return sleeps_virtually(&time) ? sleep_for(time, nullptr, RAVEL_CALLER) : real_usleep()(microseconds);
}
RAVEL_INTERCEPT(unsigned, sleep, unsigned seconds) {
  const timespec time{seconds, 0};
  timespec left{};
  if (!sleeps_virtually(&time)) return real_sleep()(seconds);
  return sleep_for(time, &left, RAVEL_CALLER) == 0 ? 0 : static_cast<unsigned>(left.tv_sec + 1);
}
RAVEL_INTERCEPT(int, thrd_sleep, const timespec* time, timespec* left) {
  return sleeps_virtually(time) ? sleep_for(*time, left, RAVEL_CALLER) : real_thrd_sleep()(time, left);
}

RAVEL_INTERCEPT(int, sched_yield, void) { return yield(RAVEL_CALLER); }
RAVEL_INTERCEPT(int, pthread_yield, void) { return yield(RAVEL_CALLER); }
RAVEL_INTERCEPT(void, thrd_yield, void) { yield(RAVEL_CALLER); }

RAVEL_INTERCEPT(int, clock_gettime, clockid_t clock, timespec* now) {
  return now != nullptr && look_at(clock, *now) ? 0 : real_clock_gettime()(clock, now);
}
RAVEL_INTERCEPT(int, gettimeofday, timeval* now, void* zone) {
  timespec shown{};
  const int result = real_gettimeofday()(now, zone);
  if (now != nullptr && look_at(CLOCK_REALTIME, shown)) *now = {shown.tv_sec, shown.tv_nsec / 1000};
  return result;
}
RAVEL_INTERCEPT(time_t, time, time_t* now) {
  timespec shown{};
  if (!look_at(CLOCK_REALTIME, shown)) return real_time()(now);
  if (now != nullptr) *now = shown.tv_sec;
  return shown.tv_sec;
}
RAVEL_INTERCEPT(int, timespec_get, timespec* now, int base) {
  return base == TIME_UTC && now != nullptr && look_at(CLOCK_REALTIME, *now) ? base
                                                                             : real_timespec_get()(now, base);
}
