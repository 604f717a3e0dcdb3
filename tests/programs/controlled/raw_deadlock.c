// Two such mutexes are taken in both orders. Nobody knows who has them, but that nobody will wake anybody.
// PLAIN: plain/raw_calls.c
// EXPECT: lost-wakeup
#include "controlled.h"
#include "plain/raw_calls.h"

static int left, right;

static void take(int* first, int* second) {
  raw_lock(first);
  sched_yield();
  raw_lock(second);
  raw_unlock(second);
  raw_unlock(first);
}
static void* take_right_first(void* nothing) {
  take(&right, &left);
  return nothing;
}

int main() {
  const pthread_t other = start(take_right_first);
  take(&left, &right);
  join(other);
  puts("done");
}
