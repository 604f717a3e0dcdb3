// Reader-writer locks and spin locks.
#include <errno.h>
#include <pthread.h>

#include "runtime/intercept.h"
#include "runtime/run_time.h"

RAVEL_REAL(pthread_rwlock_rdlock)
RAVEL_REAL(pthread_rwlock_tryrdlock)
RAVEL_REAL(pthread_rwlock_timedrdlock)
RAVEL_REAL(pthread_rwlock_clockrdlock)
RAVEL_REAL(pthread_rwlock_wrlock)
RAVEL_REAL(pthread_rwlock_trywrlock)
RAVEL_REAL(pthread_rwlock_timedwrlock)
RAVEL_REAL(pthread_rwlock_clockwrlock)
RAVEL_REAL(pthread_rwlock_unlock)
RAVEL_REAL(pthread_spin_lock)
RAVEL_REAL(pthread_spin_trylock)
RAVEL_REAL(pthread_spin_unlock)

namespace ravel::rt {
namespace {

/// What a lock that cannot be had at once does in a controlled run.
struct Patience {
  bool refused = false;  ///< it fails at once, rather than wait
  bool shared = false;   ///< with other processes
  bool limited = false;  ///< it waits for some time only
  std::uint64_t deadline = kNever;
};

/// Who has the lock for itself must not ask for it again.
Patience patience(const pthread_rwlock_t* lock, clockid_t clock = CLOCK_REALTIME,
                  const timespec* until = nullptr) {
  return {
      .refused = !is_time(until) || static_cast<std::uint32_t>(lock->__data.__cur_writer) == own_thread_id(),
      .shared = lock->__data.__shared != 0,
      .limited = until != nullptr,
      .deadline = controlled ? deadline_of(clock, until) : kNever};
}

template <typename Try, typename Lock>
int lock_with(OperationKind kind, const volatile void* lock, const Patience& patience, Pc pc, Try try_lock,
              Lock real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const Operation operation{
      .kind = kind, .object = const_cast<const void*>(lock), .pc = pc, .limited = patience.limited};
  before(self, operation);
  int result = try_lock();
  if (result == EBUSY) {
    request(self, operation);
    result = controlled && !patience.refused
                 ? try_until(operation, patience.deadline, patience.shared, try_lock)
                 : real();
  }
  after(self, operation, result == 0);
  return result;
}

template <typename Try>
int try_with(OperationKind kind, const volatile void* lock, Pc pc, Try real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const Operation operation{.kind = kind, .object = const_cast<const void*>(lock), .pc = pc};
  before(self, operation);
  const int result = real();
  after(self, operation, result == 0);
  return result;
}

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

#define TRY_READ [=] { return real_pthread_rwlock_tryrdlock()(lock); }
#define TRY_WRITE [=] { return real_pthread_rwlock_trywrlock()(lock); }

RAVEL_INTERCEPT(int, pthread_rwlock_rdlock, pthread_rwlock_t* lock) {
  return lock_with(OperationKind::LockShared, lock, patience(lock), RAVEL_CALLER, TRY_READ,
                   [=] { return real_pthread_rwlock_rdlock()(lock); });
}
RAVEL_INTERCEPT(int, pthread_rwlock_timedrdlock, pthread_rwlock_t* lock, const timespec* until) {
  return lock_with(OperationKind::LockShared, lock, patience(lock, CLOCK_REALTIME, until), RAVEL_CALLER,
                   TRY_READ, [=] { return real_pthread_rwlock_timedrdlock()(lock, until); });
}
RAVEL_INTERCEPT(int, pthread_rwlock_clockrdlock, pthread_rwlock_t* lock, clockid_t clock,
                const timespec* until) {
  return lock_with(OperationKind::LockShared, lock, patience(lock, clock, until), RAVEL_CALLER, TRY_READ,
                   [=] { return real_pthread_rwlock_clockrdlock()(lock, clock, until); });
}
RAVEL_INTERCEPT(int, pthread_rwlock_tryrdlock, pthread_rwlock_t* lock) {
  return try_with(OperationKind::TryLockShared, lock, RAVEL_CALLER, TRY_READ);
}
RAVEL_INTERCEPT(int, pthread_rwlock_wrlock, pthread_rwlock_t* lock) {
  return lock_with(OperationKind::Lock, lock, patience(lock), RAVEL_CALLER, TRY_WRITE,
                   [=] { return real_pthread_rwlock_wrlock()(lock); });
}
RAVEL_INTERCEPT(int, pthread_rwlock_timedwrlock, pthread_rwlock_t* lock, const timespec* until) {
  return lock_with(OperationKind::Lock, lock, patience(lock, CLOCK_REALTIME, until), RAVEL_CALLER, TRY_WRITE,
                   [=] { return real_pthread_rwlock_timedwrlock()(lock, until); });
}
RAVEL_INTERCEPT(int, pthread_rwlock_clockwrlock, pthread_rwlock_t* lock, clockid_t clock,
                const timespec* until) {
  return lock_with(OperationKind::Lock, lock, patience(lock, clock, until), RAVEL_CALLER, TRY_WRITE,
                   [=] { return real_pthread_rwlock_clockwrlock()(lock, clock, until); });
}
RAVEL_INTERCEPT(int, pthread_rwlock_trywrlock, pthread_rwlock_t* lock) {
  return try_with(OperationKind::TryLock, lock, RAVEL_CALLER, TRY_WRITE);
}

RAVEL_INTERCEPT(int, pthread_rwlock_unlock, pthread_rwlock_t* lock) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real_pthread_rwlock_unlock()(lock);
  // glibc keeps the kernel's number of the writer; while there are readers, it is 0.
  const bool writer = static_cast<std::uint32_t>(lock->__data.__cur_writer) == own_thread_id();
  const Operation operation{.kind = writer ? OperationKind::Unlock : OperationKind::UnlockShared,
                            .object = lock,
                            .pc = RAVEL_CALLER};
  before(self, operation);
  const int result = real_pthread_rwlock_unlock()(lock);
  after(self, operation, result == 0);
  return result;
}

RAVEL_INTERCEPT(int, pthread_spin_lock, pthread_spinlock_t* lock) {
  return lock_with(
      OperationKind::Lock, lock, {}, RAVEL_CALLER, [=] { return real_pthread_spin_trylock()(lock); },
      [=] { return real_pthread_spin_lock()(lock); });
}
RAVEL_INTERCEPT(int, pthread_spin_trylock, pthread_spinlock_t* lock) {
  return try_with(OperationKind::TryLock, lock, RAVEL_CALLER,
                  [=] { return real_pthread_spin_trylock()(lock); });
}
RAVEL_INTERCEPT(int, pthread_spin_unlock, pthread_spinlock_t* lock) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real_pthread_spin_unlock()(lock);
  const Operation operation{
      .kind = OperationKind::Unlock, .object = const_cast<const int*>(lock), .pc = RAVEL_CALLER};
  before(self, operation);
  const int result = real_pthread_spin_unlock()(lock);
  after(self, operation, result == 0);
  return result;
}
