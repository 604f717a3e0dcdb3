// Mutexes of a library that ravel has not compiled, which waits for them by system calls of its own.
// PLAIN: plain/raw_calls.c
// EXPECT: output 30 0
#include "controlled.h"
#include "plain/raw_calls.h"

static int mutex;
static int count;

static void* add(void* nothing) {
  for (int i = 0; i < 10; ++i) {
    raw_lock(&mutex);
    const int seen = count;
    raw_call(24 /* sched_yield */, 0, 0, 0, 0, 0, 0);
    count = seen + 1;
    raw_unlock(&mutex);
  }
  return nothing;
}

int main() {
  const pthread_t threads[] = {start(add), start(add), start(add)};
  for (int i = 0; i < 3; ++i) join(threads[i]);
  printf("%d %d\n", count, mutex);
}
