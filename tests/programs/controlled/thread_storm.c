// Many short threads, joined and detached, whose stacks and handles are used again.
// EXPECT: output 60
#include <semaphore.h>

#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t ended;
static int total;

static void* add(void* nothing) {
  volatile char on_stack[1000];
  on_stack[total % 1000] = 1;
  pthread_mutex_lock(&mutex);
  ++total;
  pthread_mutex_unlock(&mutex);
  sem_post(&ended);
  return nothing;
}

int main() {
  sem_init(&ended, 0, 0);
  for (int i = 0; i < 20; ++i) {
    pthread_t threads[] = {start(add), start(add), start(add)};
    pthread_detach(threads[1]);
    join(threads[0]);
    join(threads[2]);
  }
  for (int i = 0; i < 60; ++i) CHECK(sem_wait(&ended) == 0);
  printf("%d\n", total);
}
