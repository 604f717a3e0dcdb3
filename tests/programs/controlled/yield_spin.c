// A thread spins until another has done its work, and lets it run; a clock is looked at meanwhile.
// EXPECT: output done
#include <stdatomic.h>

#include "controlled.h"

static atomic_int stage;

static void* work(void* nothing) {
  while (stage == 0) sched_yield();
  struct timespec until = in_seconds(CLOCK_MONOTONIC, 1);
  until.tv_sec -= 1;
  until.tv_nsec += 10000;
  struct timespec now;
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec);
  stage = 2;
  return nothing;
}

int main() {
  pthread_t thread = start(work);
  stage = 1;
  while (stage != 2) sched_yield();
  join(thread);
  puts("done");
}
