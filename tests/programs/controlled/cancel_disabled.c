// A thread that may not be cancelled waits undisturbed, and is cancelled when it may.
// EXPECT: output cancelled later
#include <semaphore.h>

#include "controlled.h"

static sem_t semaphore, begun;
static int got;

static void* work(void* nothing) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  sem_post(&begun);
  sched_yield();
  CHECK(sem_wait(&semaphore) == 0);
  CHECK(sleep(10) == 0);
  ++got;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  pthread_testcancel();
  ++got;
  return nothing;
}

int main() {
  sem_init(&semaphore, 0, 0);
  sem_init(&begun, 0, 0);
  pthread_t thread = start(work);
  sem_wait(&begun);
  CHECK(pthread_cancel(thread) == 0);
  for (int i = 0; i < 5; ++i) sched_yield();
  sem_post(&semaphore);
  CHECK(join(thread) == PTHREAD_CANCELED && got == 1);
  puts("cancelled later");
}
