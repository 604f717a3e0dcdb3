// What a pthread_mutex_t says about itself. The fields are glibc's: its static initializers have made them
// part of its binary interface.
#pragma once

#include <pthread.h>

#include "runtime/intercept.h"

namespace ravel::rt {

inline constexpr int kMutexKindMask = 3;
inline constexpr int kMutexRobust = 16;
inline constexpr int kMutexShared = 128;

inline bool is_recursive(const pthread_mutex_t* mutex) {
  return (mutex->__data.__kind & kMutexKindMask) == PTHREAD_MUTEX_RECURSIVE_NP;
}

/// With other processes.
inline bool is_shared(const pthread_mutex_t* mutex) { return (mutex->__data.__kind & kMutexShared) != 0; }

/// Whether unlocking by the caller will be refused.
inline bool unlock_is_refused(const pthread_mutex_t* mutex) {
  const int kind = mutex->__data.__kind & kMutexKindMask;
  const bool checked = kind == PTHREAD_MUTEX_RECURSIVE_NP || kind == PTHREAD_MUTEX_ERRORCHECK_NP ||
                       (mutex->__data.__kind & kMutexRobust) != 0;
  return checked && static_cast<std::uint32_t>(mutex->__data.__owner) != own_thread_id();
}

/// Whether unlocking makes the mutex free, rather than leaving a recursive one locked fewer times.
inline bool unlock_releases(const pthread_mutex_t* mutex) {
  return !unlock_is_refused(mutex) && (!is_recursive(mutex) || mutex->__data.__count <= 1);
}

/// Whether the lock that the caller has just taken was its first of this mutex.
inline bool is_outermost(const pthread_mutex_t* mutex) {
  return !is_recursive(mutex) || mutex->__data.__count <= 1;
}

// The functions themselves, for the C11 names of the same objects.
int lock_mutex(pthread_mutex_t* mutex, Pc pc);
int try_lock_mutex(pthread_mutex_t* mutex, Pc pc);
int timed_lock_mutex(pthread_mutex_t* mutex, const timespec* until, Pc pc);
int unlock_mutex(pthread_mutex_t* mutex, Pc pc);

/// In a controlled run: takes the mutex, as part of the operation. ETIMEDOUT: it was too late.
int wait_for_mutex(const Operation& operation, pthread_mutex_t* mutex, std::uint64_t deadline);

/// The calling thread ends: the kernel gives its robust mutexes to whoever asks next.
void release_robust_mutexes(Thread& self);

}  // namespace ravel::rt
