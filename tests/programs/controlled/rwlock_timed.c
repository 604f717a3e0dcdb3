// Timed locks of a reader-writer lock end by time, or when the other has gone.
// EXPECT: output 00
// EXPECT: output 01
// EXPECT: output 10
// EXPECT: output 11
// EXPECT: each within 200 seeds
#include "controlled.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void* keep(void* nothing) {
  pthread_rwlock_wrlock(&lock);
  sleep(10);
  pthread_rwlock_unlock(&lock);
  return nothing;
}

int main() {
  pthread_t keeper = start(keep);
  sched_yield();
  struct timespec until = in_seconds(CLOCK_REALTIME, 5);
  int reading = pthread_rwlock_timedrdlock(&lock, &until);
  if (reading == 0) pthread_rwlock_unlock(&lock);
  until = in_seconds(CLOCK_MONOTONIC, 5);
  int writing = pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &until);
  if (writing == 0) pthread_rwlock_unlock(&lock);
  CHECK((reading == 0 || reading == ETIMEDOUT) && (writing == 0 || writing == ETIMEDOUT));
  printf("%d%d\n", reading == 0, writing == 0);
  join(keeper);
}
