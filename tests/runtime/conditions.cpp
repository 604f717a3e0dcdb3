// Waits end by a signal, by time, by cancellation, or are refused: the mutex is released and taken again each
// time but the last.
// RECORDS WaitBegin 4
// RECORDS WaitEnd 4
// RECORDS Notify 2
// RECORDS NotifyAll 1
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <ctime>

#include "expect.h"

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int stage = 0;

void* wait_for_two(void*) {
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  stage = 1;
  EXPECT(pthread_cond_wait(&condition, &mutex) == 0);
  EXPECT(stage == 2);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  return nullptr;
}

void unlock(void*) { EXPECT(pthread_mutex_unlock(&mutex) == 0); }

void* wait_for_ever(void*) {
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  pthread_cleanup_push(unlock, nullptr);
  stage = 3;
  while (true) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
  return nullptr;
}

/// When the mutex can be had and the stage is reached, the other thread waits.
void reach(int wanted) {
  while (true) {
    EXPECT(pthread_mutex_lock(&mutex) == 0);
    if (stage == wanted) return;
    EXPECT(pthread_mutex_unlock(&mutex) == 0);
    thrd_yield();
  }
}

}  // namespace

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, wait_for_two, nullptr);
  reach(1);
  stage = 2;
  EXPECT(pthread_cond_signal(&condition) == 0);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  pthread_join(thread, nullptr);

  pthread_create(&thread, nullptr, wait_for_ever, nullptr);
  reach(3);
  EXPECT(pthread_cancel(thread) == 0);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  void* result = nullptr;
  pthread_join(thread, &result);
  EXPECT(result == PTHREAD_CANCELED);

  EXPECT(pthread_mutex_lock(&mutex) == 0);
  const timespec wrong{0, 2'000'000'000};
  EXPECT(pthread_cond_timedwait(&condition, &mutex, &wrong) == EINVAL);
  const timespec past{1, 0};
  EXPECT(pthread_cond_timedwait(&condition, &mutex, &past) == ETIMEDOUT);
  EXPECT(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  EXPECT(pthread_cond_broadcast(&condition) == 0);

  cnd_t c11;
  cnd_init(&c11);
  EXPECT(cnd_signal(&c11) == thrd_success);
}
