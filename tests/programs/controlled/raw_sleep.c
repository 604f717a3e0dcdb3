// Code that ravel has not compiled sleeps for hours and waits by system calls of its own, in a thread that others wait for.
// PLAIN: plain/raw_calls.c
// EXPECT: output 2
#include <stdatomic.h>

#include "controlled.h"
#include "plain/raw_calls.h"

static int word;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add() {
  pthread_mutex_lock(&mutex);
  ++total;
  pthread_mutex_unlock(&mutex);
}

static void* wait_raw(void* nothing) {
  add();
  while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0) raw_wait(&word, 0);
  return nothing;
}

static void* wake_raw(void* nothing) {
  raw_sleep(10);
  add();
  raw_sleep(10L * 60 * 60 * 1000);
  __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
  raw_wake(&word, 1);
  return nothing;
}

int main() {
  pthread_t threads[] = {start(wait_raw), start(wake_raw)};
  join(threads[0]);
  join(threads[1]);
  printf("%d\n", total);
}
