// Condition variables.
#include "runtime/intercept_condition.h"

#include <errno.h>

#include "runtime/intercept_mutex.h"
#include "runtime/run_time.h"

RAVEL_REAL(pthread_cond_wait)
RAVEL_REAL(pthread_cond_timedwait)
RAVEL_REAL(pthread_cond_clockwait)
RAVEL_REAL(pthread_cond_signal)
RAVEL_REAL(pthread_cond_broadcast)
RAVEL_REAL(pthread_mutex_unlock)

namespace ravel::rt {
namespace {

struct Waiting {
  Thread* self;
  const Operation* operation;
};

/// A cancelled wait has its mutex again before the thread's cleanup handlers run.
void end_cancelled_wait(void* waiting) {
  const auto& [self, operation] = *static_cast<Waiting*>(waiting);
  after(self, *operation);
}

/// Not inlined: setjmp is in it, so what the caller has in registers stays out of it.
template <typename Wait>
RAVEL_NOINLINE int wait_cancellably(Waiting* waiting, const Wait& real) {
  int result = 0;
  pthread_cleanup_push(end_cancelled_wait, waiting);
  result = real();
  pthread_cleanup_pop(0);
  return result;
}

/// In a controlled run. A signal ends the wait, as any wait for a condition may end.
int wait_virtually(const Operation& operation, pthread_mutex_t* mutex, std::uint64_t deadline) {
  pthread_testcancel();
  real_pthread_mutex_unlock()(mutex);
  wake_all(mutex);
  const Waking waking = wait_for(operation, {.object = operation.object, .deadline = deadline});
  wait_for_mutex(operation, mutex, kNever);
  pthread_testcancel();
  return waking == Waking::TimedOut ? ETIMEDOUT : 0;
}

/// The clock that a condition's plain timed wait goes by.
clockid_t clock_of(const pthread_cond_t* condition) {
  constexpr unsigned kMonotonic = 2;  // glibc's
  return (condition->__data.__wrefs & kMonotonic) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

/// With other processes, which nobody here can wait for but the real function.
bool is_shared(const pthread_cond_t* condition) {
  constexpr unsigned kShared = 1;  // glibc's
  return (condition->__data.__wrefs & kShared) != 0;
}

template <typename Wait>
int wait_with(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until,
              Pc pc, Wait real) {
  const bool valid = is_time(until) && (clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME);
  Thread* const self = acting_thread();
  // A wait with wrong arguments fails before it gives the mutex back.
  if (self == nullptr || !valid || !unlock_releases(mutex)) return real(until);
  const Operation operation{.kind = OperationKind::Wait, .object = condition, .lock = mutex, .pc = pc};
  before(self, operation);
  Waiting waiting{self, &operation};
  const auto wait = [&] {
    if (!controlled) return real(until);
    if (!is_shared(condition)) return wait_virtually(operation, mutex, deadline_of(clock, until));
    const timespec in_world = until == nullptr ? timespec{} : time_of_world(clock, *until);
    go_outside();
    const int result = real(until == nullptr ? nullptr : &in_world);
    come_back();
    return result;
  };
  const int result = wait_cancellably(&waiting, wait);
  // Whatever ended the wait, the mutex is taken again.
  after(self, operation);
  return result;
}

}  // namespace

int wait_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, Pc pc) {
  return wait_with(condition, mutex, CLOCK_REALTIME, nullptr, pc,
                   [=](const timespec*) { return real_pthread_cond_wait()(condition, mutex); });
}

int timed_wait_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until, Pc pc) {
  return wait_with(condition, mutex, clock_of(condition), until, pc,
                   [=](const timespec* at) { return real_pthread_cond_timedwait()(condition, mutex, at); });
}

int notify_condition(pthread_cond_t* condition, bool all, Pc pc) {
  Thread* const self = acting_thread();
  const auto real = all ? real_pthread_cond_broadcast() : real_pthread_cond_signal();
  if (self == nullptr) return real(condition);
  const Operation operation{
      .kind = all ? OperationKind::NotifyAll : OperationKind::NotifyOne, .object = condition, .pc = pc};
  before(self, operation);
  const int result = real(condition);
  after(self, operation, result == 0);
  return result;
}

}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(int, pthread_cond_wait, pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return wait_condition(condition, mutex, RAVEL_CALLER);
}
RAVEL_INTERCEPT(int, pthread_cond_timedwait, pthread_cond_t* condition, pthread_mutex_t* mutex,
                const timespec* until) {
  return timed_wait_condition(condition, mutex, until, RAVEL_CALLER);
}
RAVEL_INTERCEPT(int, pthread_cond_clockwait, pthread_cond_t* condition, pthread_mutex_t* mutex,
                clockid_t clock, const timespec* until) {
  return wait_with(condition, mutex, clock, until, RAVEL_CALLER, [=](const timespec* at) {
    return real_pthread_cond_clockwait()(condition, mutex, clock, at);
  });
}
RAVEL_INTERCEPT(int, pthread_cond_signal, pthread_cond_t* condition) {
  return notify_condition(condition, false, RAVEL_CALLER);
}
RAVEL_INTERCEPT(int, pthread_cond_broadcast, pthread_cond_t* condition) {
  return notify_condition(condition, true, RAVEL_CALLER);
}
