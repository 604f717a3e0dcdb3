// A mutex that checks refuses at once what would block for ever, and waits for others.
// EXPECT: output 10
#include "controlled.h"

static pthread_mutex_t mutex;
static int total;

static void* work(void* nothing) {
  CHECK(pthread_mutex_unlock(&mutex) == EPERM);
  for (int i = 0; i < 5; ++i) {
    CHECK(pthread_mutex_lock(&mutex) == 0);
    sched_yield();
    CHECK(pthread_mutex_lock(&mutex) == EDEADLK);
    ++total;
    CHECK(pthread_mutex_unlock(&mutex) == 0);
  }
  return nothing;
}

int main() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &attributes);
  pthread_t threads[] = {start(work), start(work)};
  for (int i = 0; i < 2; ++i) join(threads[i]);
  printf("%d\n", total);
}
