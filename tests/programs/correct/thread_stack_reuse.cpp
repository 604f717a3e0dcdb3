// A detached thread's stack becomes the stack of a later thread, which nothing orders after the first.
// EXPECT: none
#include <atomic>
#include <thread>

std::atomic<int> finished;

void fill(volatile int* cells) {
  for (int i = 0; i < 64; ++i) cells[i] = i;
}

void work() {
  int cells[64];
  fill(cells);
  finished.fetch_add(1, std::memory_order_relaxed);
}

int main() {
  for (int i = 0; i < 10; ++i) {
    std::thread(work).detach();
    while (finished.load(std::memory_order_relaxed) != i + 1) std::this_thread::yield();
  }
}
