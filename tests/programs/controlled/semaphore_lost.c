// Everybody waits for a semaphore that nobody posts any more.
// EXPECT: lost-wakeup
#include <semaphore.h>

#include "controlled.h"

static sem_t semaphore;

static void* take(void* nothing) {
  sem_wait(&semaphore);
  return nothing;
}

int main() {
  sem_init(&semaphore, 0, 1);
  pthread_t threads[] = {start(take), start(take)};
  join(threads[0]);
  join(threads[1]);
}
