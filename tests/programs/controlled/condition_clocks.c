// Waits by both clocks, by attribute and by argument, take the time they say.
// EXPECT: output 2 2 2
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static long waited(pthread_cond_t* condition, clockid_t clock, int by_argument) {
  struct timespec begin = in_seconds(clock, 0), until = in_seconds(clock, 2);
  pthread_mutex_lock(&mutex);
  int result = 0;
  while (result == 0)
    result = by_argument ? pthread_cond_clockwait(condition, &mutex, clock, &until)
                         : pthread_cond_timedwait(condition, &mutex, &until);
  CHECK(result == ETIMEDOUT);
  pthread_mutex_unlock(&mutex);
  return in_seconds(clock, 0).tv_sec - begin.tv_sec;
}

int main() {
  pthread_cond_t plain = PTHREAD_COND_INITIALIZER, monotonic;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&monotonic, &attributes);
  const long first = waited(&plain, CLOCK_REALTIME, 0);
  const long second = waited(&monotonic, CLOCK_MONOTONIC, 0);
  printf("%ld %ld %ld\n", first, second, waited(&plain, CLOCK_MONOTONIC, 1));
}
