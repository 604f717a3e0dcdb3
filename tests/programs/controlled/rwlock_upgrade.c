// Two readers want to write without ceasing to read.
// EXPECT: deadlock
#include "controlled.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both_read;

static void* upgrade(void* nothing) {
  pthread_rwlock_rdlock(&lock);
  pthread_barrier_wait(&both_read);
  CHECK(pthread_rwlock_trywrlock(&lock) == EBUSY);
  pthread_rwlock_wrlock(&lock);
  puts("wrote");
  return nothing;
}

int main() {
  pthread_barrier_init(&both_read, NULL, 2);
  pthread_t threads[] = {start(upgrade), start(upgrade)};
  join(threads[0]);
  join(threads[1]);
}
