// Destructors of thread-specific values lock, wait and set values again, when their thread ends.
// EXPECT: output 8
#include <semaphore.h>

#include "controlled.h"

static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static int destroyed;

static void destroy(void* value) {
  pthread_mutex_lock(&mutex);
  ++destroyed;
  sched_yield();
  pthread_mutex_unlock(&mutex);
  sem_post(&semaphore);
  sem_wait(&semaphore);
  if (value == &key) pthread_setspecific(key, &mutex);
}

static void* work(void* nothing) {
  pthread_setspecific(key, &key);
  return nothing;
}

int main() {
  sem_init(&semaphore, 0, 0);
  pthread_key_create(&key, destroy);
  pthread_t threads[] = {start(work), start(work), start(work), start(work)};
  for (int i = 0; i < 4; ++i) join(threads[i]);
  printf("%d\n", destroyed);
}
