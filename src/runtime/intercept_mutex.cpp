// Mutexes of all kinds. A lock that cannot be had at once is a Request first; only the outermost lock and
// unlock of a recursive one are operations.
#include "runtime/intercept_mutex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "runtime/run_time.h"

RAVEL_REAL(pthread_mutex_lock)
RAVEL_REAL(pthread_mutex_trylock)
RAVEL_REAL(pthread_mutex_timedlock)
RAVEL_REAL(pthread_mutex_clocklock)
RAVEL_REAL(pthread_mutex_unlock)

namespace ravel::rt {
namespace {

/// The next owner of a robust mutex whose owner has died has it, and is told.
bool is_locked(int result) { return result == 0 || result == EOWNERDEAD; }

/// Whether the lock fails at once, rather than wait.
bool lock_is_refused(const pthread_mutex_t* mutex, const timespec* until) {
  return !is_time(until) || ((mutex->__data.__kind & kMutexKindMask) == PTHREAD_MUTEX_ERRORCHECK_NP &&
                             static_cast<std::uint32_t>(mutex->__data.__owner) == own_thread_id());
}

/// A robust mutex of a thread that has ended is free only when the kernel has noticed.
int try_lock(pthread_mutex_t* mutex) {
  if (controlled && (mutex->__data.__kind & kMutexRobust) != 0) await_ended_threads();
  return real_pthread_mutex_trylock()(mutex);
}

/// A thread that finds a mutex taken looks at it again, now and then, before it sleeps. Recorded sections are
/// longer than the program's own, so that more threads would find them taken; and each that sleeps makes the
/// owner's unlocking a system call.
int lock_patiently(pthread_mutex_t* mutex) {
  constexpr int kLooks = 100;
  constexpr int kPauses = 40;
  for (int look = 0; look < kLooks; ++look) {
    for (int i = 0; i < kPauses; ++i) __builtin_ia32_pause();
    if (__atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) == 0) {
      const int result = try_lock(mutex);
      if (result != EBUSY) return result;
    }
    yield_processor();
  }
  return EBUSY;
}

template <typename Lock>
int lock_with(pthread_mutex_t* mutex, clockid_t clock, const timespec* until, Pc pc, Lock real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const Operation operation{
      .kind = OperationKind::Lock, .object = mutex, .pc = pc, .limited = until != nullptr};
  before(self, operation);
  int result = try_lock(mutex);
  if (result == EBUSY) {
    request(self, operation);
    if (controlled && !lock_is_refused(mutex, until)) {
      result = wait_for_mutex(operation, mutex, deadline_of(clock, until));
    } else {
      if (until == nullptr && !lock_is_refused(mutex, until)) result = lock_patiently(mutex);
      if (result == EBUSY) result = real();
    }
  }
  after(self, operation, is_locked(result) && is_outermost(mutex));
  return result;
}

}  // namespace

int wait_for_mutex(const Operation& operation, pthread_mutex_t* mutex, std::uint64_t deadline) {
  const Operation lock{.kind = OperationKind::Lock, .object = mutex, .pc = operation.pc};
  return try_until(lock, deadline, is_shared(mutex), [mutex] { return try_lock(mutex); });
}

int lock_mutex(pthread_mutex_t* mutex, Pc pc) {
  return lock_with(mutex, CLOCK_REALTIME, nullptr, pc, [mutex] { return real_pthread_mutex_lock()(mutex); });
}

int timed_lock_mutex(pthread_mutex_t* mutex, const timespec* until, Pc pc) {
  return lock_with(mutex, CLOCK_REALTIME, until, pc,
                   [=] { return real_pthread_mutex_timedlock()(mutex, until); });
}

int try_lock_mutex(pthread_mutex_t* mutex, Pc pc) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real_pthread_mutex_trylock()(mutex);
  const Operation operation{.kind = OperationKind::TryLock, .object = mutex, .pc = pc};
  before(self, operation);
  const int result = try_lock(mutex);
  after(self, operation, is_locked(result) && is_outermost(mutex));
  return result;
}

int unlock_mutex(pthread_mutex_t* mutex, Pc pc) {
  Thread* const self = acting_thread();
  if (self == nullptr || !unlock_releases(mutex)) return real_pthread_mutex_unlock()(mutex);
  const Operation operation{.kind = OperationKind::Unlock, .object = mutex, .pc = pc};
  before(self, operation);
  const int result = real_pthread_mutex_unlock()(mutex);
  after(self, operation, result == 0);
  return result;
}

void release_robust_mutexes(Thread& self) {
  robust_list_head* head = nullptr;
  std::size_t size = 0;
  if (system_call(SYS_get_robust_list, 0, reinterpret_cast<long>(&head), reinterpret_cast<long>(&size)) !=
          0 ||
      head == nullptr)
    return;
  // The lowest bit of a link says that the mutex has priority inheritance.
  const auto link = [](const robust_list* at) {
    return reinterpret_cast<robust_list*>(reinterpret_cast<std::uintptr_t>(at) & ~std::uintptr_t{1});
  };
  for (robust_list* at = link(head->list.next); at != &head->list; at = link(at->next)) {
    const void* const mutex = reinterpret_cast<char*>(at) + head->futex_offset;
    before(&self, {.kind = OperationKind::Unlock, .object = mutex});
  }
}

}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(int, pthread_mutex_lock, pthread_mutex_t* mutex) { return lock_mutex(mutex, RAVEL_CALLER); }
RAVEL_INTERCEPT(int, pthread_mutex_trylock, pthread_mutex_t* mutex) {
  return try_lock_mutex(mutex, RAVEL_CALLER);
}
RAVEL_INTERCEPT(int, pthread_mutex_timedlock, pthread_mutex_t* mutex, const timespec* until) {
  return timed_lock_mutex(mutex, until, RAVEL_CALLER);
}
RAVEL_INTERCEPT(int, pthread_mutex_clocklock, pthread_mutex_t* mutex, clockid_t clock,
                const timespec* until) {
  return lock_with(mutex, clock, until, RAVEL_CALLER,
                   [=] { return real_pthread_mutex_clocklock()(mutex, clock, until); });
}
RAVEL_INTERCEPT(int, pthread_mutex_unlock, pthread_mutex_t* mutex) {
  return unlock_mutex(mutex, RAVEL_CALLER);
}
