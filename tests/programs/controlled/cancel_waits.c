// Threads are cancelled in a semaphore's wait, in a read, in a sleep and in a join, or before they get there.
// EXPECT: output 4 cancelled
#include <semaphore.h>

#include "controlled.h"

static sem_t semaphore;
static int ends[2], cleaned;
static pthread_t joined;

static void clean_up(void* nothing) {
  (void)nothing;
  ++cleaned;
}

#define WAITS(name, call)                  \
  static void* name(void* nothing) {       \
    pthread_cleanup_push(clean_up, NULL);  \
    while (1) call;                        \
    pthread_cleanup_pop(0);                \
    return nothing;                        \
  }
static char byte;
WAITS(wait_for_post, sem_wait(&semaphore))
WAITS(wait_for_byte, (void)!read(ends[0], &byte, 1))
WAITS(wait_for_time, sleep(10))
WAITS(wait_for_thread, pthread_join(joined, NULL))

int main() {
  sem_init(&semaphore, 0, 0);
  CHECK(pipe(ends) == 0);
  joined = start(wait_for_byte);
  pthread_t threads[] = {start(wait_for_thread), start(wait_for_post), start(wait_for_time), joined};
  for (int i = 0; i < 4; ++i) {
    sched_yield();
    CHECK(pthread_cancel(threads[i]) == 0);
    CHECK(join(threads[i]) == PTHREAD_CANCELED);
  }
  printf("%d cancelled\n", cleaned);
}
