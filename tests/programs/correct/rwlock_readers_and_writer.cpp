// Reads under the read lock, writes under the write lock.
// EXPECT: none
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
int value;

void read() {
  for (int i = 0; i < 50; ++i) {
    const std::shared_lock guard(lock);
    [[maybe_unused]] volatile int seen = value;
  }
}

void write() {
  for (int i = 0; i < 50; ++i) {
    const std::unique_lock guard(lock);
    ++value;
  }
}

int main() {
  std::thread threads[] = {std::thread(read), std::thread(write), std::thread(read), std::thread(write)};
  for (std::thread& thread : threads) thread.join();
  return value != 100;
}
