// alarm, setitimer and timer_create go by the time of the world and end waits, also after seconds.
// RUNS: one, because of the seconds.
// STEPS: vary, because the timers do not know the time of the run.
// EXPECT: output 3
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>

#include "controlled.h"

static sem_t semaphore;

static void on_signal(int signal) {
  (void)signal;
  sem_post(&semaphore);
}

static void* wait_too(void* nothing) {
  static sem_t never;
  sem_wait(&never);
  return nothing;
}

static void await() {
  while (sem_wait(&semaphore) != 0) CHECK(errno == EINTR);
}

int main() {
  signal(SIGALRM, on_signal);
  sem_init(&semaphore, 0, 0);
  start(wait_too);
  alarm(2);
  await();
  const struct itimerval soon = {{0, 0}, {0, 20000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  await();
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec later = {{0, 0}, {1, 500000000}};
  CHECK(timer_settime(timer, 0, &later, NULL) == 0);
  await();
  puts("3");
}
