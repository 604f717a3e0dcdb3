// A flag is set before the other thread waits, and nobody wakes it: by system calls of code that ravel has not compiled.
// PLAIN: plain/raw_calls.c
// EXPECT: output 1
// EXPECT: lost-wakeup
// EXPECT: each within 200 seeds
#include "controlled.h"
#include "plain/raw_calls.h"

static int word;   // always 0: what is waited for is not what the kernel compares
static int ready;

static void* wake(void* nothing) {
  __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
  raw_wake(&word, 1);
  return nothing;
}

int main() {
  const pthread_t waker = start(wake);
  if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) == 0) raw_wait(&word, 0);
  join(waker);
  printf("%d\n", ready);
}
