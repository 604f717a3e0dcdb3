// A timed lock gets the mutex or gives up, by either clock.
// EXPECT: output got
// EXPECT: output gave up
// EXPECT: each within 100 seeds
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* keep(void* nothing) {
  pthread_mutex_lock(&mutex);
  sleep(100);
  pthread_mutex_unlock(&mutex);
  return nothing;
}

int main() {
  pthread_t keeper = start(keep);
  sched_yield();
  struct timespec until = in_seconds(CLOCK_REALTIME, 50);
  int result = pthread_mutex_timedlock(&mutex, &until);
  if (result == 0) {
    pthread_mutex_unlock(&mutex);
    until = in_seconds(CLOCK_MONOTONIC, 50);
    result = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until);
  }
  CHECK(result == 0 || result == ETIMEDOUT);
  puts(result == 0 ? "got" : "gave up");
  if (result == 0) pthread_mutex_unlock(&mutex);
  join(keeper);
}
