// A timer descriptor goes by the time of the world, while a thread spins.
// STEPS: vary, because the timer does not know the time of the run.
// EXPECT: output 2 ticks
#include <stdatomic.h>
#include <stdint.h>
#include <sys/timerfd.h>

#include "controlled.h"

static atomic_int done;

static void* spin(void* nothing) {
  while (!done) sched_yield();
  return nothing;
}

int main() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const struct itimerspec often = {{0, 10000000}, {0, 10000000}};
  CHECK(timerfd_settime(timer, 0, &often, NULL) == 0);
  pthread_t thread = start(spin);
  uint64_t count, ticks = 0;
  while (ticks < 2) {
    CHECK(read(timer, &count, sizeof count) == sizeof count);
    ++ticks;
  }
  done = 1;
  join(thread);
  printf("%d ticks\n", (int)ticks);
}
