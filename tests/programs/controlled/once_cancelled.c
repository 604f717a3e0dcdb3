// An initializer that is cancelled has not run: the next thread does it.
// EXPECT: output 1
#include "controlled.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static volatile int begun, done;

static void initialize() {
  if (++begun == 1)
    while (1) pause();
  ++done;
}

static void* use(void* nothing) {
  pthread_once(&once, initialize);
  CHECK(done == 1);
  return nothing;
}

int main() {
  pthread_t first = start(use);
  while (begun == 0) sched_yield();
  pthread_t second = start(use);
  sched_yield();
  pthread_cancel(first);
  join(first);
  join(second);
  printf("%d\n", done);
}
