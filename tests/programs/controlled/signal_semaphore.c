// A handler posts the semaphore that its thread waits for: sent by another thread, to the thread or the process.
// EXPECT: output 2
#include <semaphore.h>
#include <signal.h>

#include "controlled.h"

static sem_t semaphore;
static pthread_t waiter;

static void on_signal(int signal) {
  if (signal == SIGUSR1 || signal == SIGUSR2) sem_post(&semaphore);
}

static void* send(void* nothing) {
  pthread_kill(waiter, SIGUSR1);
  sched_yield();
  kill(getpid(), SIGUSR2);
  return nothing;
}

int main() {
  sem_init(&semaphore, 0, 0);
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR2, &action, NULL);
  waiter = pthread_self();
  pthread_t sender = start(send);
  for (int i = 0; i < 2; ++i)
    while (sem_wait(&semaphore) != 0) CHECK(errno == EINTR);
  join(sender);
  puts("2");
}
