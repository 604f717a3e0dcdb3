// std::binary_semaphore as a lock.
// EXPECT: none
#include <semaphore>
#include <thread>

std::binary_semaphore lock(1);
int count;

void work() {
  for (int i = 0; i < 50; ++i) {
    lock.acquire();
    ++count;
    lock.release();
  }
}

int main() {
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  return count != 100;
}
