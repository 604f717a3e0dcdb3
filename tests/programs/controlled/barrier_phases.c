// Nobody enters a phase before all have ended the one before; each has one serial thread.
// EXPECT: output 5 serial
#include <stdatomic.h>

#include "controlled.h"

static pthread_barrier_t barrier;
static atomic_int at_phase[5], serial;

static void* work(void* nothing) {
  for (int phase = 0; phase < 5; ++phase) {
    sched_yield();
    ++at_phase[phase];
    const int result = pthread_barrier_wait(&barrier);
    CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    CHECK(at_phase[phase] == 3);
    serial += result != 0;
    pthread_barrier_wait(&barrier);
  }
  return nothing;
}

int main() {
  pthread_barrier_init(&barrier, NULL, 3);
  pthread_t threads[] = {start(work), start(work), start(work)};
  for (int i = 0; i < 3; ++i) join(threads[i]);
  CHECK(pthread_barrier_destroy(&barrier) == 0);
  printf("%d serial\n", serial);
}
