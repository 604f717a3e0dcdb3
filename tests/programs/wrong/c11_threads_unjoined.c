// C11 threads: main reads before it joins.
// EXPECT: race on total
#include <threads.h>

int total;

static int work(void* argument) {
  total = 3;
  return argument != NULL;
}

int main(void) {
  thrd_t thread;
  thrd_create(&thread, work, NULL);
  volatile int seen = total;
  (void)seen;
  thrd_join(thread, NULL);
  return 0;
}
