// A signal wakes one of two waiters; whom, the schedule says. A broadcast wakes the other.
// EXPECT: output first
// EXPECT: output second
// EXPECT: each within 50 seeds
#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int waiting, woken, who;

static void* wait_as(void* name) {
  pthread_mutex_lock(&mutex);
  ++waiting;
  pthread_cond_wait(&condition, &mutex);
  if (woken++ == 0) who = name == NULL;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, wait_as, NULL);
  pthread_create(&threads[1], NULL, wait_as, &who);
  pthread_mutex_lock(&mutex);
  while (waiting < 2) {
    pthread_mutex_unlock(&mutex);
    sched_yield();
    pthread_mutex_lock(&mutex);
  }
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 20; ++i) sched_yield();
  pthread_mutex_lock(&mutex);
  CHECK(woken <= 1);
  while (woken == 0) {
    pthread_mutex_unlock(&mutex);
    sched_yield();
    pthread_mutex_lock(&mutex);
  }
  puts(who ? "first" : "second");
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  join(threads[0]);
  join(threads[1]);
}
