// Joining with and without patience.
// EXPECT: output tried
// EXPECT: output timed
// EXPECT: output waited
// EXPECT: each within 200 seeds
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* nothing) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return nothing;
}

int main() {
  pthread_t thread = start(work);
  int result = pthread_tryjoin_np(thread, NULL);
  CHECK(result == 0 || result == EBUSY);
  if (result == 0) return puts("tried") < 0;
  struct timespec until = in_seconds(CLOCK_REALTIME, 5);
  result = pthread_timedjoin_np(thread, NULL, &until);
  if (result == ETIMEDOUT) {
    until = in_seconds(CLOCK_MONOTONIC, 5);
    result = pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until);
  }
  if (result == 0) return puts("timed") < 0;
  CHECK(result == ETIMEDOUT);
  join(thread);
  puts("waited");
}
