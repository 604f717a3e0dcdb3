// Code that ravel has not compiled sleeps and waits by system calls of its own, in a thread that others wait for.
// PLAIN: plain/raw_calls.c
// STEPS: vary, because what ravel does not see takes the time it takes.
// EXPECT: output 2
#include <stdatomic.h>

#include "controlled.h"

void raw_sleep(long milliseconds);
void raw_wait(atomic_int* word, int value);
void raw_wake(atomic_int* word);

static atomic_int word;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void* wait_raw(void* nothing) {
  pthread_mutex_lock(&mutex);
  ++total;
  pthread_mutex_unlock(&mutex);
  while (word == 0) raw_wait(&word, 0);
  return nothing;
}

static void* wake_raw(void* nothing) {
  raw_sleep(10);
  pthread_mutex_lock(&mutex);
  ++total;
  pthread_mutex_unlock(&mutex);
  raw_sleep(500);
  word = 1;
  raw_wake(&word);
  return nothing;
}

int main() {
  pthread_t threads[] = {start(wait_raw), start(wake_raw)};
  join(threads[0]);
  join(threads[1]);
  printf("%d\n", total);
}
