// The program ends while detached threads wait, sleep, and run.
// EXPECT: output bye
#include <semaphore.h>

#include "controlled.h"

static sem_t never;

static void* wait_for_post(void* nothing) {
  sem_wait(&never);
  return nothing;
}
static void* sleep_long(void* nothing) {
  while (1) sleep(1000);
  return nothing;
}
static void* run_on(void* nothing) {
  while (1) sched_yield();
  return nothing;
}
static void* end_soon(void* nothing) { return nothing; }

static void say_bye() { puts("bye"); }

int main() {
  sem_init(&never, 0, 0);
  atexit(say_bye);
  void* (*const routines[])(void*) = {wait_for_post, sleep_long, run_on, end_soon};
  for (int i = 0; i < 4; ++i) pthread_detach(start(routines[i]));
  sched_yield();
  exit(0);
}
