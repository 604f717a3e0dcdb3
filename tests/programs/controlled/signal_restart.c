// With SA_RESTART a read and a wait for a lock go on after the handler; a semaphore's wait too.
// EXPECT: output all went on
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

#include "controlled.h"

static atomic_int handled;
static pthread_t reader;
static int ends[2];
static sem_t semaphore;

static void on_signal(int signal) {
  (void)signal;
  ++handled;
}

static void* disturb(void* nothing) {
  for (int i = 0; i < 5; ++i) {
    pthread_kill(reader, SIGUSR1);
    sched_yield();
  }
  CHECK(write(ends[1], "x", 1) == 1);
  for (int i = 0; i < 5; ++i) {
    pthread_kill(reader, SIGUSR1);
    sched_yield();
  }
  sem_post(&semaphore);
  return nothing;
}

int main() {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  sem_init(&semaphore, 0, 0);
  reader = pthread_self();
  CHECK(pipe(ends) == 0);
  pthread_t thread = start(disturb);
  char byte;
  CHECK(read(ends[0], &byte, 1) == 1);
  CHECK(sem_wait(&semaphore) == 0);
  join(thread);
  CHECK(handled == 10);
  puts("all went on");
}
