// Locks of all kinds: only the outermost lock and unlock are recorded, and none that were refused.
// RECORDS Acquire 12
// RECORDS Release 12
// RECORDS AcquireShared 3
// RECORDS ReleaseShared 3
// RECORDS Request 1
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <ctime>

#include "expect.h"

int main() {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);

  pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
  EXPECT(pthread_mutex_lock(&plain) == 0);
  EXPECT(pthread_mutex_trylock(&plain) == EBUSY);
  EXPECT(pthread_mutex_unlock(&plain) == 0);
  EXPECT(pthread_mutex_trylock(&plain) == 0);
  EXPECT(pthread_mutex_unlock(&plain) == 0);
  const timespec past{1, 0};
  EXPECT(pthread_mutex_timedlock(&plain, &past) == 0);
  EXPECT(pthread_mutex_unlock(&plain) == 0);
  EXPECT(pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &past) == 0);
  EXPECT(pthread_mutex_unlock(&plain) == 0);

  pthread_mutex_t recursive;
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &kind);
  EXPECT(pthread_mutex_unlock(&recursive) == EPERM);
  EXPECT(pthread_mutex_lock(&recursive) == 0);
  EXPECT(pthread_mutex_lock(&recursive) == 0);
  EXPECT(pthread_mutex_trylock(&recursive) == 0);
  EXPECT(pthread_mutex_unlock(&recursive) == 0);
  EXPECT(pthread_mutex_unlock(&recursive) == 0);
  EXPECT(pthread_mutex_unlock(&recursive) == 0);

  pthread_mutex_t checked;
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checked, &kind);
  EXPECT(pthread_mutex_unlock(&checked) == EPERM);
  EXPECT(pthread_mutex_lock(&checked) == 0);
  EXPECT(pthread_mutex_lock(&checked) == EDEADLK);  // a Request that came to nothing
  EXPECT(pthread_mutex_unlock(&checked) == 0);

  // A thread that ends with a robust mutex gives it to the next one.
  static pthread_mutex_t robust;
  pthread_mutexattr_t survives;
  pthread_mutexattr_init(&survives);
  pthread_mutexattr_setrobust(&survives, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &survives);
  pthread_t thread;
  pthread_create(
      &thread, nullptr, [](void*) -> void* { return EXPECT(pthread_mutex_lock(&robust) == 0), nullptr; },
      nullptr);
  pthread_join(thread, nullptr);
  EXPECT(pthread_mutex_lock(&robust) == EOWNERDEAD);
  EXPECT(pthread_mutex_consistent(&robust) == 0);
  EXPECT(pthread_mutex_unlock(&robust) == 0);

  pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
  EXPECT(pthread_rwlock_rdlock(&shared) == 0);
  EXPECT(pthread_rwlock_tryrdlock(&shared) == 0);
  EXPECT(pthread_rwlock_trywrlock(&shared) == EBUSY);
  EXPECT(pthread_rwlock_unlock(&shared) == 0);
  EXPECT(pthread_rwlock_unlock(&shared) == 0);
  EXPECT(pthread_rwlock_wrlock(&shared) == 0);
  EXPECT(pthread_rwlock_tryrdlock(&shared) == EBUSY);
  EXPECT(pthread_rwlock_unlock(&shared) == 0);
  EXPECT(pthread_rwlock_timedrdlock(&shared, &past) == 0);
  EXPECT(pthread_rwlock_unlock(&shared) == 0);
  EXPECT(pthread_rwlock_timedwrlock(&shared, &past) == 0);
  EXPECT(pthread_rwlock_unlock(&shared) == 0);

  pthread_spinlock_t spin;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  EXPECT(pthread_spin_lock(&spin) == 0);
  EXPECT(pthread_spin_trylock(&spin) == EBUSY);
  EXPECT(pthread_spin_unlock(&spin) == 0);

  mtx_t c11;
  mtx_init(&c11, mtx_plain);
  EXPECT(mtx_lock(&c11) == thrd_success);
  EXPECT(mtx_trylock(&c11) == thrd_busy);
  EXPECT(mtx_unlock(&c11) == thrd_success);
}
