// A thread that has a spin lock is switched away from: the others must not spin for it.
// EXPECT: output 15
#include "controlled.h"

static pthread_spinlock_t lock;
static volatile int owners, total;

static void* work(void* nothing) {
  for (int i = 0; i < 5; ++i) {
    if (i % 2 == 0 || pthread_spin_trylock(&lock) != 0) pthread_spin_lock(&lock);
    CHECK(++owners == 1);
    sched_yield();
    ++total;
    --owners;
    pthread_spin_unlock(&lock);
  }
  return nothing;
}

int main() {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_t threads[] = {start(work), start(work), start(work)};
  for (int i = 0; i < 3; ++i) join(threads[i]);
  printf("%d\n", total);
}
