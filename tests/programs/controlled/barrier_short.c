// One thread too few comes to a barrier.
// EXPECT: lost-wakeup
#include "controlled.h"

static pthread_barrier_t barrier;

static void* wait_there(void* nothing) {
  pthread_barrier_wait(&barrier);
  return nothing;
}

int main() {
  pthread_barrier_init(&barrier, NULL, 3);
  pthread_t threads[] = {start(wait_there), start(wait_there)};
  join(threads[0]);
  join(threads[1]);
}
