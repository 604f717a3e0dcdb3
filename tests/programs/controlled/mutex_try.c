// Who tries and fails does something else and tries again.
// EXPECT: output 15
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int owners, total;

static void* work(void* nothing) {
  for (int i = 0; i < 5; ++i) {
    while (pthread_mutex_trylock(&mutex) != 0) sched_yield();
    CHECK(++owners == 1);
    sched_yield();
    ++total;
    --owners;
    pthread_mutex_unlock(&mutex);
  }
  return nothing;
}

int main() {
  pthread_t threads[] = {start(work), start(work), start(work)};
  for (int i = 0; i < 3; ++i) join(threads[i]);
  printf("%d\n", total);
}
