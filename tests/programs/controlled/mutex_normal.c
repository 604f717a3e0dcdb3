// A thread that has a mutex is switched away from; the others wait for it.
// EXPECT: output 30
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int owners, total;

static void* work(void* nothing) {
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&mutex);
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
