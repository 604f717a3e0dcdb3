// Producers and consumers of a queue of one place, with two conditions.
// EXPECT: output 90
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int place, sum;

static void* produce(void* nothing) {
  for (int i = 1; i <= 9; ++i) {
    pthread_mutex_lock(&mutex);
    while (place != 0) pthread_cond_wait(&emptied, &mutex);
    place = i;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
  }
  return nothing;
}

static void* consume(void* nothing) {
  for (int i = 1; i <= 9; ++i) {
    pthread_mutex_lock(&mutex);
    while (place == 0) pthread_cond_wait(&filled, &mutex);
    sum += place;
    place = 0;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&mutex);
  }
  return nothing;
}

int main() {
  pthread_t threads[] = {start(consume), start(produce), start(produce), start(consume)};
  for (int i = 0; i < 4; ++i) join(threads[i]);
  printf("%d\n", sum);
}
