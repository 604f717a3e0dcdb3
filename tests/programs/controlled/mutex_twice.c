// A thread waits for a mutex that it has.
// EXPECT: deadlock
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* nothing) {
  pthread_mutex_lock(&mutex);  // HELD
  pthread_mutex_lock(&mutex);  // AWAITED
  return nothing;
}

int main() { join(start(work)); }
