// A thread that may be cancelled anywhere is, also while it waits for its turn.
// EXPECT: output cancelled
#include <stdatomic.h>

#include "controlled.h"

static atomic_int ready;
static volatile long count;

static void* compute(void* nothing) {
  int old;
  CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0 && old == PTHREAD_CANCEL_DEFERRED);
  ready = 1;
  while (ready) ++count;
  return nothing;
}

int main() {
  pthread_t threads[] = {start(compute), start(compute)};
  while (!ready) sched_yield();
  for (int i = 0; i < 2; ++i) {
    CHECK(pthread_cancel(threads[i]) == 0);
    CHECK(join(threads[i]) == PTHREAD_CANCELED);
  }
  puts("cancelled");
}
