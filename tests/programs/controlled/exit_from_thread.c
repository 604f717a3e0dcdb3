// A thread ends the process while main waits for it and others wait for locks.
// EXPECT: exit 3
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* take(void* nothing) {
  pthread_mutex_lock(&mutex);
  return nothing;
}
static void* leave(void* nothing) {
  sched_yield();
  exit(3);
  return nothing;
}

int main() {
  pthread_mutex_lock(&mutex);
  pthread_t thread = start(leave);
  start(take);
  join(thread);
}
