// A broadcast wakes everybody.
// EXPECT: output 4
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int open_now, passed;

static void* pass(void* nothing) {
  pthread_mutex_lock(&mutex);
  while (!open_now) pthread_cond_wait(&condition, &mutex);
  sched_yield();
  ++passed;
  pthread_mutex_unlock(&mutex);
  return nothing;
}

int main() {
  pthread_t threads[] = {start(pass), start(pass), start(pass), start(pass)};
  pthread_mutex_lock(&mutex);
  open_now = 1;
  pthread_mutex_unlock(&mutex);
  pthread_cond_broadcast(&condition);
  for (int i = 0; i < 4; ++i) join(threads[i]);
  printf("%d\n", passed);
}
