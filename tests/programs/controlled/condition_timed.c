// A timed wait ends by the signal or by time.
// EXPECT: output signalled
// EXPECT: output timed out
// EXPECT: each within 100 seeds
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void* tell(void* nothing) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return nothing;
}

int main() {
  pthread_t teller = start(tell);
  struct timespec until = in_seconds(CLOCK_REALTIME, 1000);
  pthread_mutex_lock(&mutex);
  int result = 0;
  while (!ready && result == 0) result = pthread_cond_timedwait(&condition, &mutex, &until);
  CHECK(result == 0 || (result == ETIMEDOUT && in_seconds(CLOCK_REALTIME, 0).tv_sec >= until.tv_sec));
  puts(result == 0 ? "signalled" : "timed out");
  pthread_mutex_unlock(&mutex);
  join(teller);
}
