// A thread is cancelled before or while it waits for a condition; its handler has the mutex.
// EXPECT: output cancelled with the mutex
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int cleaned;

static void clean_up(void* nothing) {
  CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
  ++cleaned;
  pthread_mutex_unlock(nothing == NULL ? &mutex : NULL);
}

static void* wait_for_ever(void* nothing) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(clean_up, nothing);
  while (1) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(1);
  return nothing;
}

int main() {
  pthread_t threads[] = {start(wait_for_ever), start(wait_for_ever)};
  for (int i = 0; i < 2; ++i) {
    CHECK(pthread_cancel(threads[i]) == 0);
    CHECK(join(threads[i]) == PTHREAD_CANCELED);
  }
  CHECK(cleaned == 2 && pthread_mutex_trylock(&mutex) == 0);
  puts("cancelled with the mutex");
}
