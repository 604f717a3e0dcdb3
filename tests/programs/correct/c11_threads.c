// C11's threads, mutexes and call_once.
// EXPECT: none
#include <threads.h>

mtx_t lock;
once_flag once = ONCE_FLAG_INIT;
int total;

static void prepare(void) { mtx_init(&lock, mtx_plain); }

static int work(void* argument) {
  call_once(&once, prepare);
  mtx_lock(&lock);
  total += *(int*)argument;
  mtx_unlock(&lock);
  return 0;
}

int main(void) {
  thrd_t threads[2];
  int amounts[2] = {1, 2};
  for (int i = 0; i < 2; ++i) thrd_create(&threads[i], work, &amounts[i]);
  for (int i = 0; i < 2; ++i) thrd_join(threads[i], NULL);
  return total != 3;
}
