// Threads send each other signals; each handler runs in the thread it was sent to.
// EXPECT: output 10 10
#include <signal.h>
#include <stdatomic.h>

#include "controlled.h"

static atomic_int got[2];
static _Thread_local int mine;
static pthread_t threads[2];
static pthread_barrier_t ready;

static void on_signal(int signal) {
  (void)signal;
  ++got[mine];
}

static void* work(void* second) {
  mine = second != NULL;
  pthread_barrier_wait(&ready);
  for (int i = 0; i < 10; ++i) {
    const int before = got[!mine];
    CHECK(pthread_kill(threads[!mine], SIGUSR1) == 0);
    while (got[!mine] == before) sched_yield();
  }
  pthread_barrier_wait(&ready);
  return NULL;
}

int main() {
  signal(SIGUSR1, on_signal);
  pthread_barrier_init(&ready, NULL, 2);
  pthread_create(&threads[0], NULL, work, NULL);
  pthread_create(&threads[1], NULL, work, threads);
  join(threads[0]);
  join(threads[1]);
  printf("%d %d\n", got[0], got[1]);
}
