// A wake by bits wakes those who wait for one of them, and no others.
// EXPECT: output woken in turn
#include <stdatomic.h>

#include "futex.h"

static uint32_t word;
static atomic_int woken[2];

static void* wait_for_bit(void* mine) {
  const int bit = mine != NULL;
  while (futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 1U << bit) != 0) CHECK(errno == EINTR);
  woken[bit] = 1;
  return NULL;
}

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, wait_for_bit, NULL);
  pthread_create(&threads[1], NULL, wait_for_bit, &word);
  while (futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 9, NULL, NULL, 2) == 0) sched_yield();
  join(threads[1]);
  CHECK(woken[0] == 0);
  CHECK(futex(&word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0) == -1 && errno == EAGAIN);
  while (futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 9, NULL, NULL, ~0U) == 0) sched_yield();
  join(threads[0]);
  puts("woken in turn");
}
