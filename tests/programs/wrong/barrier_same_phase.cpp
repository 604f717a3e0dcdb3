// A barrier separates phases; within one it orders nothing.
// EXPECT: race on result
#include <pthread.h>

#include <thread>

pthread_barrier_t barrier;
int result;

void work(int value) {
  pthread_barrier_wait(&barrier);
  result = value;
}

int main() {
  pthread_barrier_init(&barrier, nullptr, 2);
  std::thread first(work, 1);
  std::thread second(work, 2);
  first.join();
  second.join();
}
