// A robust mutex whose owner has ended goes to whoever waits for it, or comes later.
// EXPECT: output 1 found it dead
#include <semaphore.h>

#include "controlled.h"

static pthread_mutex_t mutex;
static sem_t taken;
static int found;

static void* die(void* nothing) {
  CHECK(pthread_mutex_lock(&mutex) == 0);
  sem_post(&taken);
  sched_yield();
  return nothing;
}

static void* inherit(void* nothing) {
  int result = pthread_mutex_lock(&mutex);
  if (result == EOWNERDEAD) {
    ++found;
    CHECK(pthread_mutex_consistent(&mutex) == 0);
  } else {
    CHECK(result == 0);
  }
  sched_yield();
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  return nothing;
}

int main() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  sem_init(&taken, 0, 0);
  pthread_t first = start(die);
  sem_wait(&taken);
  pthread_t heirs[] = {start(inherit), start(inherit)};
  join(heirs[0]);
  join(heirs[1]);
  join(first);
  printf("%d found it dead\n", found);
}
