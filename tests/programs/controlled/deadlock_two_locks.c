// Two threads take two mutexes in different orders.
// EXPECT: output done
// EXPECT: deadlock
// EXPECT: each within 10 seeds
#include "controlled.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void* forward(void* nothing) {
  pthread_mutex_lock(&a);  // HELD
  pthread_mutex_lock(&b);  // AWAITED
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return nothing;
}

static void* backward(void* nothing) {
  pthread_mutex_lock(&b);  // HELD
  pthread_mutex_lock(&a);  // AWAITED
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return nothing;
}

int main() {
  pthread_t threads[] = {start(forward), start(backward)};
  join(threads[0]);
  join(threads[1]);
  puts("done");
}
