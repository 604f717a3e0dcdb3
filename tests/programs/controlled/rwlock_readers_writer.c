// Readers share, a writer is alone; each of them may be switched away from.
// EXPECT: output 8
#include <stdatomic.h>

#include "controlled.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int readers, writers;
static int value;

static void* read_it(void* nothing) {
  for (int i = 0; i < 5; ++i) {
    pthread_rwlock_rdlock(&lock);
    ++readers;
    sched_yield();
    CHECK(writers == 0);
    --readers;
    pthread_rwlock_unlock(&lock);
  }
  return nothing;
}

static void* write_it(void* nothing) {
  for (int i = 0; i < 4; ++i) {
    pthread_rwlock_wrlock(&lock);
    CHECK(++writers == 1 && readers == 0);
    sched_yield();
    CHECK(readers == 0 && pthread_rwlock_rdlock(&lock) == EDEADLK);
    ++value;
    --writers;
    pthread_rwlock_unlock(&lock);
  }
  return nothing;
}

int main() {
  pthread_t threads[] = {start(read_it), start(write_it), start(read_it), start(write_it)};
  for (int i = 0; i < 4; ++i) join(threads[i]);
  printf("%d\n", value);
}
