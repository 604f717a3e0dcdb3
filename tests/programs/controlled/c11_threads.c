// C11: threads, mutexes of all kinds, conditions, once, sleep and thread-specific storage.
// EXPECT: output 12 2
#include <threads.h>

#include "controlled.h"

static mtx_t plain, timed;
static cnd_t changed;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static int value, destroyed, initialized;

static void destroy(void* nothing) {
  mtx_lock(&plain);
  destroyed += nothing != NULL;
  mtx_unlock(&plain);
}
static void initialize() {
  thrd_yield();
  ++initialized;
}

static int work(void* mine) {
  call_once(&flag, initialize);
  CHECK(initialized == 1 && tss_set(key, &value) == thrd_success);
  for (int i = 0; i < 6; ++i) {
    mtx_lock(&plain);
    while (value % 2 != *(int*)mine) cnd_wait(&changed, &plain);
    ++value;
    cnd_broadcast(&changed);
    mtx_unlock(&plain);
  }
  thrd_sleep(&(struct timespec){.tv_sec = 3600}, NULL);
  struct timespec until = in_seconds(CLOCK_REALTIME, 3600);
  CHECK(mtx_timedlock(&timed, &until) == thrd_timedout);
  return mtx_trylock(&timed) == thrd_busy ? *(int*)mine : -1;
}

int main() {
  int mine[] = {0, 1}, result = 0;
  thrd_t threads[2];
  CHECK(mtx_init(&plain, mtx_plain) == thrd_success && mtx_init(&timed, mtx_timed | mtx_recursive) == thrd_success);
  CHECK(cnd_init(&changed) == thrd_success && tss_create(&key, destroy) == thrd_success);
  mtx_lock(&timed);
  for (int i = 0; i < 2; ++i) thrd_create(&threads[i], work, &mine[i]);
  for (int i = 0; i < 2; ++i) CHECK(thrd_join(threads[i], &result) == thrd_success && result == i);
  struct timespec until = in_seconds(CLOCK_REALTIME, 1);
  mtx_lock(&plain);
  CHECK(cnd_timedwait(&changed, &plain, &until) == thrd_timedout);
  printf("%d %d\n", value, destroyed);
}
