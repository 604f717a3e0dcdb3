// A wait without a predicate misses the signal that came before it.
// EXPECT: output woken
// EXPECT: lost-wakeup
// EXPECT: each within 20 seeds
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void* tell(void* nothing) {
  pthread_mutex_lock(&mutex);
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return nothing;
}

int main() {
  pthread_t teller = start(tell);
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  join(teller);
  puts("woken");
}
