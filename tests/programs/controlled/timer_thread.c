// A timer calls a function in a thread that the program has not started.
// STEPS: vary, because the timer does not know the time of the run.
// EXPECT: output rang
#include <semaphore.h>
#include <signal.h>

#include "controlled.h"

static sem_t semaphore;

static void ring(union sigval value) {
  (void)value;
  sem_post(&semaphore);
}

int main() {
  sem_init(&semaphore, 0, 0);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring};
  timer_t timer;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec soon = {{0, 0}, {0, 50000000}};
  CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
  CHECK(sem_wait(&semaphore) == 0);
  puts("rang");
}
