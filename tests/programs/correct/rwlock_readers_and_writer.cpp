// Reads under the read lock, writes under the write lock.
// EXPECT: none
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
int value;

void read_value() {
  for (int i = 0; i < 50; ++i) {
    const std::shared_lock guard(lock);
    [[maybe_unused]] volatile int seen = value;
  }
}

void write_value() {
  for (int i = 0; i < 50; ++i) {
    const std::unique_lock guard(lock);
    ++value;
  }
}

int main() {
  std::thread threads[] = {std::thread(read_value), std::thread(write_value), std::thread(read_value),
                           std::thread(write_value)};
  for (std::thread& thread : threads) thread.join();
  return value != 100;
}
