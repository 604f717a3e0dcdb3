// Threads are followed from their creation to their join, however they end.
// RECORDS Fork 8
// RECORDS Join 7
// RECORDS ThreadExit 9
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>
#include <thread>

#include "expect.h"

namespace {

sem_t done;
pthread_key_t key;
int destroyed = 0;

void* leave(void* argument) { pthread_exit(argument); }
void* detach(void*) {
  pthread_detach(pthread_self());
  sem_post(&done);
  return nullptr;
}
int c11(void* argument) { return *static_cast<int*>(argument); }
void* with_key(void* argument) {
  pthread_setspecific(key, argument);
  return nullptr;
}

}  // namespace

int main() {
  sem_init(&done, 0, 0);
  pthread_t thread;
  void* result = nullptr;
  int value = 7;
  EXPECT(pthread_create(&thread, nullptr, leave, &value) == 0);
  EXPECT(pthread_join(thread, &result) == 0 && result == &value);

  EXPECT(pthread_create(&thread, nullptr, detach, nullptr) == 0);
  sem_wait(&done);

  thrd_t handle;
  int returned = 0;
  EXPECT(thrd_create(&handle, c11, &value) == thrd_success);
  EXPECT(thrd_join(handle, &returned) == thrd_success && returned == 7);

  // A destructor of the program's runs before the thread has ended for the trace.
  pthread_key_create(&key, [](void* count) { ++*static_cast<int*>(count); });
  EXPECT(pthread_create(&thread, nullptr, with_key, &destroyed) == 0);
  EXPECT(pthread_join(thread, nullptr) == 0 && destroyed == 1);

  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
  EXPECT(pthread_create(&thread, &small, leave, nullptr) == 0);
  EXPECT(pthread_join(thread, nullptr) == 0);

  std::atomic<int> sum = 0;
  std::thread a([&] {
    pthread_setname_np(pthread_self(), "adder");
    std::thread b([&] { sum += 2; });
    b.join();
    sum += 1;
  });
  a.join();
  std::jthread([&] { sum += 4; }).join();
  EXPECT(sum == 7);
  std::puts("done");
  pthread_exit(nullptr);
}
