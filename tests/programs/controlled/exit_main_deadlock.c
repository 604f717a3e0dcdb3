// main has ended, and the thread that is left waits for nothing.
// EXPECT: lost-wakeup
#include <semaphore.h>

#include "controlled.h"

static sem_t never;

static void* wait_for_post(void* nothing) {
  sem_wait(&never);
  return nothing;
}

int main() {
  sem_init(&never, 0, 0);
  start(wait_for_post);
  pthread_exit(NULL);
}
