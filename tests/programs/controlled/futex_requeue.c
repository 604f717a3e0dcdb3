// One of three waiters is woken, the others are moved to another word and woken there.
// EXPECT: output 1 then 3
#include <stdatomic.h>

#include "futex.h"

static uint32_t word, other;
static atomic_int waiting, woken;

static void* wait_there(void* nothing) {
  ++waiting;
  futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  ++woken;
  return nothing;
}

int main() {
  pthread_t threads[] = {start(wait_there), start(wait_there), start(wait_there)};
  while (waiting < 3) sched_yield();
  CHECK(futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void*)2, &other, 7) == -1 && errno == EAGAIN);
  long moved = 0, first = 0;
  while (first == 0) {
    sched_yield();
    first = futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
  while (moved < 2) {
    sched_yield();
    moved += futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 0, (void*)2, &other, 0);
  }
  CHECK(futex(&word, FUTEX_WAKE_PRIVATE, 9, NULL, NULL, 0) == 0);
  while (woken < 1) sched_yield();
  printf("%d then ", woken);
  CHECK(futex(&other, FUTEX_WAKE_PRIVATE, 9, NULL, NULL, 0) == 2);
  for (int i = 0; i < 3; ++i) join(threads[i]);
  printf("%d\n", woken);
}
