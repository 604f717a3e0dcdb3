// The block is freed by a thread that nothing orders after the last write to it.
// EXPECT: race
#include <atomic>
#include <cstdlib>
#include <thread>

int* block;
std::atomic<bool> used;

int main() {
  block = static_cast<int*>(std::malloc(sizeof(int)));
  std::thread user([] {
    *block = 1;
    used.store(true, std::memory_order_relaxed);
  });
  std::thread cleaner([] {
    while (!used.load(std::memory_order_relaxed)) std::this_thread::yield();
    std::free(block);
  });
  user.join();
  cleaner.join();
}
