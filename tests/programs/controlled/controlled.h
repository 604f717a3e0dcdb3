// What the programs of this folder share.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition) ((condition) ? (void)0 : fail(#condition, __LINE__))

static inline void fail(const char* what, int line) {
  fprintf(stderr, "line %d: not so: %s\n", line, what);
  _exit(1);
}

static inline pthread_t start(void* (*routine)(void*)) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, routine, NULL) == 0);
  return thread;
}

static inline void* join(pthread_t thread) {
  void* result = NULL;
  CHECK(pthread_join(thread, &result) == 0);
  return result;
}

/// So many seconds from now.
static inline struct timespec in_seconds(clockid_t clock, long seconds) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += seconds;
  return time;
}
