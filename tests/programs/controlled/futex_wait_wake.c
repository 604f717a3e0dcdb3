// A lock made of the futex system call, whose owner is switched away from.
// EXPECT: output 15
#include <stdatomic.h>

#include "futex.h"

static _Atomic uint32_t word;
static volatile int owners, total;

static void take() {
  uint32_t seen = 0;
  if (atomic_compare_exchange_strong(&word, &seen, 1)) return;
  while (atomic_exchange(&word, 2) != 0) futex((uint32_t*)&word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void give() {
  if (atomic_exchange(&word, 0) == 2) futex((uint32_t*)&word, FUTEX_WAKE_PRIVATE, 3, NULL, NULL, 0);
}

static void* work(void* nothing) {
  for (int i = 0; i < 5; ++i) {
    take();
    CHECK(++owners == 1);
    sched_yield();
    ++total;
    --owners;
    give();
  }
  return nothing;
}

int main() {
  pthread_t threads[] = {start(work), start(work), start(work)};
  for (int i = 0; i < 3; ++i) join(threads[i]);
  printf("%d\n", total);
}
