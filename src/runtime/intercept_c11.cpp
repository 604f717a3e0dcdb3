// C11 threads. glibc's objects are those of POSIX under other names, so are the functions.
#include <errno.h>
#include <threads.h>

#include "runtime/intercept_condition.h"
#include "runtime/intercept_mutex.h"
#include "runtime/intercept_once.h"
#include "runtime/intercept_thread.h"

RAVEL_REAL(thrd_create)
RAVEL_REAL(thrd_join)

namespace ravel::rt {
namespace {

int run_thread(void* child) {
  const Start start = begin_child(child);
  return reinterpret_cast<thrd_start_t>(start.routine)(start.argument);
}

/// What the C11 function returns where the POSIX one returns `error`.
int c11_result(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

pthread_mutex_t* posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* posix(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(int, thrd_create, thrd_t* handle, thrd_start_t routine, void* argument) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real_thrd_create()(handle, routine, argument);
  const auto create = [=](Thread* child) {
    return child == nullptr ? real_thrd_create()(handle, routine, argument)
                            : real_thrd_create()(handle, run_thread, child);
  };
  return start_thread(self, handle, {reinterpret_cast<void*>(routine), argument}, RAVEL_CALLER, create);
}
RAVEL_INTERCEPT(int, thrd_join, thrd_t handle, int* result) {
  return join_thread(handle, kNever, RAVEL_CALLER, [=] { return real_thrd_join()(handle, result); });
}

RAVEL_INTERCEPT(int, mtx_lock, mtx_t* mutex) { return c11_result(lock_mutex(posix(mutex), RAVEL_CALLER)); }
RAVEL_INTERCEPT(int, mtx_trylock, mtx_t* mutex) {
  return c11_result(try_lock_mutex(posix(mutex), RAVEL_CALLER));
}
RAVEL_INTERCEPT(int, mtx_timedlock, mtx_t* mutex, const timespec* until) {
  return c11_result(timed_lock_mutex(posix(mutex), until, RAVEL_CALLER));
}
RAVEL_INTERCEPT(int, mtx_unlock, mtx_t* mutex) {
  return c11_result(unlock_mutex(posix(mutex), RAVEL_CALLER));
}

RAVEL_INTERCEPT(int, cnd_wait, cnd_t* condition, mtx_t* mutex) {
  return c11_result(wait_condition(posix(condition), posix(mutex), RAVEL_CALLER));
}
RAVEL_INTERCEPT(int, cnd_timedwait, cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return c11_result(timed_wait_condition(posix(condition), posix(mutex), until, RAVEL_CALLER));
}
RAVEL_INTERCEPT(int, cnd_signal, cnd_t* condition) {
  return c11_result(notify_condition(posix(condition), false, RAVEL_CALLER));
}
RAVEL_INTERCEPT(int, cnd_broadcast, cnd_t* condition) {
  return c11_result(notify_condition(posix(condition), true, RAVEL_CALLER));
}

RAVEL_INTERCEPT(void, call_once, once_flag* flag, void (*initialize)()) {
  do_once(reinterpret_cast<pthread_once_t*>(flag), initialize, RAVEL_CALLER);
}
