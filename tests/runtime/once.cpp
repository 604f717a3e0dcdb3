// What is done once, semaphores and barriers.
// RECORDS BarrierEnter 4
// RECORDS BarrierExit 4
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <mutex>
#include <thread>

#include "expect.h"

namespace {

int calls = 0;
pthread_once_t posix = PTHREAD_ONCE_INIT;
once_flag c11 = ONCE_FLAG_INIT;
std::once_flag cpp;
pthread_barrier_t barrier;
sem_t semaphore;

struct Counted {
  Counted() { ++calls; }
};
Counted& local() {
  static Counted counted;
  return counted;
}

void work() {
  pthread_barrier_wait(&barrier);
  pthread_once(&posix, [] { ++calls; });
  call_once(&c11, [] { ++calls; });
  std::call_once(cpp, [] { ++calls; });
  local();
  EXPECT(calls == 4);
  sem_post(&semaphore);
  pthread_barrier_wait(&barrier);
}

}  // namespace

int main() {
  pthread_barrier_init(&barrier, nullptr, 2);
  sem_init(&semaphore, 0, 0);
  std::thread other(work);
  work();
  other.join();
  EXPECT(sem_wait(&semaphore) == 0);
  EXPECT(sem_trywait(&semaphore) == 0);
  EXPECT(sem_trywait(&semaphore) == -1);
  // An initializer that throws is tried again.
  std::once_flag thrown;
  int tries = 0;
  for (int i = 0; i < 2; ++i) {
    try {
      std::call_once(thrown, [&] {
        if (++tries == 1) throw tries;
      });
    } catch (int) {
    }
  }
  EXPECT(tries == 2);
}
