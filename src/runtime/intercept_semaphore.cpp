// Semaphores, barriers, and what is done once: pthread_once and the guards of function-local statics.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "runtime/intercept.h"
#include "runtime/intercept_once.h"

RAVEL_REAL(sem_wait)
RAVEL_REAL(sem_trywait)
RAVEL_REAL(sem_timedwait)
RAVEL_REAL(sem_clockwait)
RAVEL_REAL(sem_post)
RAVEL_REAL(pthread_barrier_wait)
RAVEL_REAL(pthread_once)
RAVEL_REAL_TYPED(__cxa_guard_acquire, int (*)(void*))
RAVEL_REAL_TYPED(__cxa_guard_release, void (*)(void*))

namespace ravel::rt {
namespace {

template <typename Wait>
int wait_semaphore(sem_t* semaphore, Pc pc, Wait real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const Operation operation{.kind = OperationKind::SemaphoreWait, .object = semaphore, .pc = pc};
  before(self, operation);
  const int result = real();
  after(self, operation, result == 0);
  return result;
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
  starting_once = {once, initialize, pc};
  const int result = real_pthread_once()(once, run_once);
  after(self, operation, result == 0);
  return result;
}

}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(int, sem_wait, sem_t* semaphore) {
  return wait_semaphore(semaphore, RAVEL_CALLER, [=] { return real_sem_wait()(semaphore); });
}
RAVEL_INTERCEPT(int, sem_trywait, sem_t* semaphore) {
  return wait_semaphore(semaphore, RAVEL_CALLER, [=] { return real_sem_trywait()(semaphore); });
}
RAVEL_INTERCEPT(int, sem_timedwait, sem_t* semaphore, const timespec* until) {
  return wait_semaphore(semaphore, RAVEL_CALLER, [=] { return real_sem_timedwait()(semaphore, until); });
}
RAVEL_INTERCEPT(int, sem_clockwait, sem_t* semaphore, clockid_t clock, const timespec* until) {
  return wait_semaphore(semaphore, RAVEL_CALLER,
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
  const int result = real_pthread_barrier_wait()(barrier);
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
  const int result = real___cxa_guard_acquire()(guard);
  if (result == 0) after(self, operation);
  return result;
}
RAVEL_INTERCEPT(void, __cxa_guard_release, void* guard) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real___cxa_guard_release()(guard);
  const Operation operation{.kind = OperationKind::Publish, .object = guard, .pc = RAVEL_CALLER};
  before(self, operation);
  real___cxa_guard_release()(guard);
  after(self, operation);
}
