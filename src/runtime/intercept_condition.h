// Waiting on condition variables, for their POSIX and C11 names.
#pragma once

#include <pthread.h>

#include "runtime/intercept.h"

namespace ravel::rt {

int wait_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, Pc pc);
int timed_wait_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until, Pc pc);
int notify_condition(pthread_cond_t* condition, bool all, Pc pc);

}  // namespace ravel::rt
