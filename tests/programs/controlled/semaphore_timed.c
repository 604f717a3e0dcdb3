// Timed waits of semaphores by both clocks, which end by time or by a post.
// EXPECT: output 0
// EXPECT: output 1
// EXPECT: output 2
// EXPECT: each within 100 seeds
#include <semaphore.h>

#include "controlled.h"

static sem_t semaphore;

static void* post(void* nothing) {
  sem_post(&semaphore);
  sleep(30);
  sem_post(&semaphore);
  return nothing;
}

int main() {
  sem_init(&semaphore, 0, 0);
  pthread_t poster = start(post);
  struct timespec until = in_seconds(CLOCK_REALTIME, 20);
  int got = sem_timedwait(&semaphore, &until) == 0;
  if (!got) CHECK(errno == ETIMEDOUT);
  until = in_seconds(CLOCK_MONOTONIC, 20);
  got += sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until) == 0;
  printf("%d\n", got);
  join(poster);
}
