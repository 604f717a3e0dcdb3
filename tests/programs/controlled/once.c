// The initializer is switched away from; the others wait until it has done its work.
// EXPECT: output 1
#include "controlled.h"

static pthread_once_t once = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static volatile int begun, done;

static void initialize_inner() { sched_yield(); }
static void initialize() {
  ++begun;
  pthread_once(&inner, initialize_inner);
  sleep(1);
  ++done;
}

static void* use(void* nothing) {
  pthread_once(&once, initialize);
  CHECK(begun == 1 && done == 1);
  return nothing;
}

int main() {
  pthread_t threads[] = {start(use), start(use), start(use)};
  for (int i = 0; i < 3; ++i) join(threads[i]);
  printf("%d\n", done);
}
