// Only the last unlock of a recursive mutex lets others in.
// EXPECT: output 20
#include "controlled.h"

static pthread_mutex_t mutex;
static volatile int owners, total;

static void* work(void* nothing) {
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&mutex);
    CHECK(++owners == 1);
    sched_yield();
    pthread_mutex_lock(&mutex);
    CHECK(pthread_mutex_trylock(&mutex) == 0);
    pthread_mutex_unlock(&mutex);
    sched_yield();
    pthread_mutex_unlock(&mutex);
    sched_yield();
    ++total;
    --owners;
    pthread_mutex_unlock(&mutex);
  }
  return nothing;
}

int main() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
  pthread_t threads[] = {start(work), start(work)};
  for (int i = 0; i < 2; ++i) join(threads[i]);
  printf("%d\n", total);
}
