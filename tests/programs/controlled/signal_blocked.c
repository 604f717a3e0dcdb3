// A signal that a waiting thread blocks does not end its wait; it comes when it is let in.
// EXPECT: output late
#include <semaphore.h>
#include <signal.h>

#include "controlled.h"

static sem_t semaphore;
static pthread_t waiter;
static volatile sig_atomic_t handled;

static void on_signal(int signal) { handled = signal; }

static void* send(void* nothing) {
  pthread_kill(waiter, SIGUSR1);
  for (int i = 0; i < 10; ++i) sched_yield();
  sem_post(&semaphore);
  return nothing;
}

int main() {
  signal(SIGUSR1, on_signal);
  sem_init(&semaphore, 0, 0);
  waiter = pthread_self();
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  pthread_t sender = start(send);
  CHECK(sem_wait(&semaphore) == 0 && handled == 0);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  CHECK(handled == SIGUSR1);
  join(sender);
  puts("late");
}
