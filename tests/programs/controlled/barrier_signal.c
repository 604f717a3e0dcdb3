// A thread that waits at a barrier runs a handler and still counts.
// EXPECT: output passed
#include <signal.h>
#include <stdatomic.h>

#include "controlled.h"

static pthread_barrier_t barrier;
static atomic_int handled;

static void on_signal(int signal) {
  handled = signal;
  sched_yield();
  sched_yield();
}

static void* wait_there(void* nothing) {
  pthread_barrier_wait(&barrier);
  return nothing;
}

int main() {
  signal(SIGUSR1, on_signal);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread = start(wait_there);
  pthread_kill(thread, SIGUSR1);
  pthread_barrier_wait(&barrier);
  join(thread);
  CHECK(handled == SIGUSR1 && pthread_barrier_destroy(&barrier) == 0);
  puts("passed");
}
