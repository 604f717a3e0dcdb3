// Each thread writes its own half, then, after the barrier, reads the other's.
// EXPECT: none
#include <pthread.h>

#include <thread>

pthread_barrier_t barrier;
int halves[2];

void work(int self) {
  for (int round = 0; round < 20; ++round) {
    halves[self] = round;
    pthread_barrier_wait(&barrier);
    [[maybe_unused]] volatile int other = halves[1 - self];
    pthread_barrier_wait(&barrier);
  }
}

int main() {
  pthread_barrier_init(&barrier, nullptr, 2);
  std::thread first(work, 0);
  std::thread second(work, 1);
  first.join();
  second.join();
  pthread_barrier_destroy(&barrier);
}
