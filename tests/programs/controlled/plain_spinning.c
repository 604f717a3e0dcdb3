// Code that ravel has not compiled spins until another thread has set a flag.
// PLAIN: plain/raw_spin.c
// RUNS: one, because it takes ten seconds until ravel gives up.
// STEPS: vary, because what ravel does not see takes the time it takes.
// EXPECT: output done
#include "controlled.h"

void raw_spin();
void raw_set();

static void* set_it(void* nothing) {
  sched_yield();
  raw_set();
  return nothing;
}

int main() {
  pthread_t thread = start(set_it);
  raw_spin();
  join(thread);
  puts("done");
}
