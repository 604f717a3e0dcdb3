// A thread ends with a mutex that nobody can have any more.
// EXPECT: deadlock
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* leave(void* nothing) {
  pthread_mutex_lock(&mutex);
  return nothing;
}

int main() {
  join(start(leave));
  pthread_mutex_lock(&mutex);
  puts("got it");
}
