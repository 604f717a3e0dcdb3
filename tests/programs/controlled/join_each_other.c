// Two threads join each other.
// EXPECT: deadlock
#include "controlled.h"

static pthread_t threads[2];
static pthread_barrier_t both_known;

static void* join_other(void* first) {
  pthread_barrier_wait(&both_known);
  pthread_join(threads[first == NULL], NULL);
  return NULL;
}

int main() {
  pthread_barrier_init(&both_known, NULL, 3);
  pthread_create(&threads[0], NULL, join_other, NULL);
  pthread_create(&threads[1], NULL, join_other, threads);
  pthread_barrier_wait(&both_known);
  pthread_exit(NULL);
}
