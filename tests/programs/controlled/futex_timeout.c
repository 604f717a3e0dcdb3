// Waits at a futex end in time: relative, and absolute by both clocks.
// EXPECT: output 5 5 5
#include "futex.h"

static uint32_t word;

static long waited(int operation, clockid_t clock, struct timespec time) {
  const struct timespec begin = in_seconds(clock, 0);
  CHECK(futex(&word, operation, 0, &time, NULL, FUTEX_BITSET_MATCH_ANY) == -1 && errno == ETIMEDOUT);
  return in_seconds(clock, 0).tv_sec - begin.tv_sec;
}

int main() {
  const long relative = waited(FUTEX_WAIT_PRIVATE, CLOCK_MONOTONIC, (struct timespec){.tv_sec = 5});
  const long monotonic =
      waited(FUTEX_WAIT_BITSET_PRIVATE, CLOCK_MONOTONIC, in_seconds(CLOCK_MONOTONIC, 5));
  const long real = waited(FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, CLOCK_REALTIME,
                           in_seconds(CLOCK_REALTIME, 5));
  printf("%ld %ld %ld\n", relative, monotonic, real);
}
