// A buffer of three places between two threads, counted by semaphores.
// EXPECT: output 210
#include <semaphore.h>

#include "controlled.h"

static sem_t places, items;
static int buffer[3], sum;

static void* produce(void* nothing) {
  for (int i = 1; i <= 20; ++i) {
    CHECK(sem_wait(&places) == 0);
    buffer[i % 3] = i;
    sem_post(&items);
  }
  return nothing;
}

int main() {
  sem_init(&places, 0, 3);
  sem_init(&items, 0, 0);
  pthread_t producer = start(produce);
  for (int i = 1; i <= 20; ++i) {
    CHECK(sem_wait(&items) == 0);
    sum += buffer[i % 3];
    sem_post(&places);
  }
  join(producer);
  int value = 0;
  CHECK(sem_getvalue(&places, &value) == 0 && value == 3 && sem_trywait(&items) == -1 && errno == EAGAIN);
  printf("%d\n", sum);
}
