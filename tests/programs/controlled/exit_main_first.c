// main ends by pthread_exit; the threads it leaves start others, wait, and end the process.
// EXPECT: output 6
#include "controlled.h"

static pthread_t first;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void* add(void* nothing) {
  pthread_mutex_lock(&mutex);
  ++total;
  pthread_mutex_unlock(&mutex);
  return nothing;
}

static void* go_on(void* nothing) {
  join(first);
  for (int i = 0; i < 3; ++i) {
    pthread_t threads[] = {start(add), start(add)};
    join(threads[0]);
    join(threads[1]);
  }
  printf("%d\n", total);
  return nothing;
}

int main() {
  first = pthread_self();
  start(go_on);
  pthread_exit(NULL);
}
