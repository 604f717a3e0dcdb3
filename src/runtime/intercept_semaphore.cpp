// Semaphores, barriers, and what is done once: pthread_once and the guards of function-local statics.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "runtime/intercept.h"
#include "runtime/intercept_once.h"
#include "runtime/run_time.h"

RAVEL_REAL(sem_wait)
RAVEL_REAL(sem_trywait)
RAVEL_REAL(sem_timedwait)
RAVEL_REAL(sem_clockwait)
RAVEL_REAL(sem_post)
RAVEL_REAL(pthread_barrier_wait)
RAVEL_REAL(pthread_once)
RAVEL_REAL_TYPED(__cxa_guard_acquire, int (*)(void*))
RAVEL_REAL_TYPED(__cxa_guard_release, void (*)(void*))
RAVEL_REAL_TYPED(__cxa_guard_abort, void (*)(void*))

namespace ravel::rt {
namespace {

/// With other processes (glibc's layout: behind the value, the number of waiters or, in a 32-bit count,
/// more).
bool is_shared(const sem_t* semaphore) { return reinterpret_cast<const int*>(semaphore)[2] != 0; }

/// In a controlled run. Signals end it.
int wait_virtually(const Operation& operation, sem_t* semaphore, std::uint64_t deadline) {
  while (true) {
    pthread_testcancel();
    if (real_sem_trywait()(semaphore) == 0) return 0;
    if (errno != EAGAIN) return -1;
    const Waking waking =
        wait_for(operation, {.object = semaphore, .deadline = deadline, .shared = is_shared(semaphore)});
    if (waking == Waking::Woken || waking == Waking::Restarted) continue;
    errno = waking == Waking::TimedOut ? ETIMEDOUT : EINTR;
    return -1;
  }
}

template <typename Wait>
int wait_semaphore(sem_t* semaphore, clockid_t clock, const timespec* until, Pc pc, Wait real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const Operation operation{.kind = OperationKind::SemaphoreWait, .object = semaphore, .pc = pc};
  before(self, operation);
  const int result =
      controlled && is_time(until) ? wait_virtually(operation, semaphore, deadline_of(clock, until)) : real();
  after(self, operation, result == 0);
  return result;
}

/// In a controlled run: waits until as many threads are here as the barrier wants.
int meet(const Operation& operation, pthread_barrier_t* barrier) {
  // glibc's layout: who has come, the round, how many it wants, whether other processes may come. Here the
  // first is 0 after each round, which is fine with glibc's other functions.
  auto* const fields = reinterpret_cast<unsigned*>(barrier);
  constexpr int kCome = 0, kRound = 1, kWanted = 2, kShared = 3;
  if (fields[kShared] != 0) {
    go_outside();
    const int result = real_pthread_barrier_wait()(barrier);
    come_back();
    return result;
  }
  if (++fields[kCome] == fields[kWanted]) {
    fields[kCome] = 0;
    ++fields[kRound];
    wake_all(barrier);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  const unsigned round = fields[kRound];
  do wait_for(operation, {.object = barrier});
  while (fields[kRound] == round);
  return 0;
}

/// In a controlled run: what is done once may be under way, by a thread that does not run. The thread itself
/// is refused by the library.
void await_guard(const Operation& operation) {
  while (is_held(operation.object, true)) wait_for(operation, {.object = operation.object});
}

/// The same for pthread_once. An exception or a cancellation that leaves the initializer changes the flag, of
/// which nobody tells.
void await_once(const Operation& operation, const pthread_once_t* once) {
  constexpr unsigned kUnderWay = 1, kStates = 3;  // glibc's
  const auto* const word = reinterpret_cast<const std::uint32_t*>(once);
  while (true) {
    const std::uint32_t value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if ((value & kStates) != kUnderWay || !is_held(once, false)) break;
    wait_for(operation, {.object = once, .word = word, .value = value});
  }
  free_everywhere(once);
}

/// Nobody need wait for it any more.
void end_once(const void* once) {
  let_go(once);
  wake_all(once);
}

/// What pthread_once is to run in this thread. The initializer takes it at once, and may use others.
struct Once {
  pthread_once_t* once;
  void (*initialize)();
  Pc pc;
};
__thread Once starting_once __attribute__((tls_model("initial-exec")));

/// Publishes before anybody can see that it is done. Left by an exception or by cancellation, nothing is.
void run_once() {
  const Once mine = starting_once;
  mine.initialize();
  if (Thread* const self = acting_thread(); self != nullptr) {
    const Operation operation{.kind = OperationKind::Publish, .object = mine.once, .pc = mine.pc};
    before(self, operation);
    after(self, operation);
  }
}

}  // namespace

int do_once(pthread_once_t* once, void (*initialize)(), Pc pc) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real_pthread_once()(once, initialize);
  const Operation operation{.kind = OperationKind::Observe, .object = once, .pc = pc};
  before(self, operation);
  if (controlled) {
    await_once(operation, once);
    hold(once, pc);
  }
  starting_once = {once, initialize, pc};
  const int result = real_pthread_once()(once, run_once);
  if (controlled) end_once(once);
  after(self, operation, result == 0);
  return result;
}

}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(int, sem_wait, sem_t* semaphore) {
  return wait_semaphore(semaphore, CLOCK_REALTIME, nullptr, RAVEL_CALLER,
                        [=] { return real_sem_wait()(semaphore); });
}
RAVEL_INTERCEPT(int, sem_trywait, sem_t* semaphore) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real_sem_trywait()(semaphore);
  const Operation operation{.kind = OperationKind::SemaphoreWait, .object = semaphore, .pc = RAVEL_CALLER};
  before(self, operation);
  const int result = real_sem_trywait()(semaphore);
  after(self, operation, result == 0);
  return result;
}
RAVEL_INTERCEPT(int, sem_timedwait, sem_t* semaphore, const timespec* until) {
  return wait_semaphore(semaphore, CLOCK_REALTIME, until, RAVEL_CALLER,
                        [=] { return real_sem_timedwait()(semaphore, until); });
}
RAVEL_INTERCEPT(int, sem_clockwait, sem_t* semaphore, clockid_t clock, const timespec* until) {
  return wait_semaphore(semaphore, clock, until, RAVEL_CALLER,
                        [=] { return real_sem_clockwait()(semaphore, clock, until); });
}
RAVEL_INTERCEPT(int, sem_post, sem_t* semaphore) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real_sem_post()(semaphore);
  const Operation operation{.kind = OperationKind::SemaphorePost, .object = semaphore, .pc = RAVEL_CALLER};
  before(self, operation);
  const int result = real_sem_post()(semaphore);
  after(self, operation, result == 0);
  return result;
}

RAVEL_INTERCEPT(int, pthread_barrier_wait, pthread_barrier_t* barrier) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real_pthread_barrier_wait()(barrier);
  const Operation operation{.kind = OperationKind::BarrierWait, .object = barrier, .pc = RAVEL_CALLER};
  before(self, operation);
  const int result = controlled ? meet(operation, barrier) : real_pthread_barrier_wait()(barrier);
  after(self, operation);
  return result;
}

RAVEL_INTERCEPT(int, pthread_once, pthread_once_t* once, void (*initialize)()) {
  return do_once(once, initialize, RAVEL_CALLER);
}

// The compilers test the first byte of a guard by an atomic load of their own, so that byte is what is
// published and observed.
RAVEL_INTERCEPT(int, __cxa_guard_acquire, void* guard) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real___cxa_guard_acquire()(guard);
  const Operation operation{.kind = OperationKind::Observe, .object = guard, .pc = RAVEL_CALLER};
  before(self, operation);
  if (controlled) await_guard(operation);
  const int result = real___cxa_guard_acquire()(guard);
  if (controlled && result != 0) hold(guard, operation.pc);
  if (result == 0) after(self, operation);
  return result;
}
RAVEL_INTERCEPT(void, __cxa_guard_abort, void* guard) {
  real___cxa_guard_abort()(guard);
  if (controlled) end_once(guard);
}
RAVEL_INTERCEPT(void, __cxa_guard_release, void* guard) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real___cxa_guard_release()(guard);
  const Operation operation{.kind = OperationKind::Publish, .object = guard, .pc = RAVEL_CALLER};
  before(self, operation);
  real___cxa_guard_release()(guard);
  if (controlled) end_once(guard);
  after(self, operation);
}
