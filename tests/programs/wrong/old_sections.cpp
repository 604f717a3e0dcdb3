// A thread writes a word in a section of a mutex, goes through many more of them, and writes another word.
// Who clashes with the first write in a section of its own is ordered after it, and not after the second one.
// EXPECT: race on after_all
// EXPECT: race on between
#include <atomic>
#include <mutex>
#include <thread>

std::mutex mutex;
long inside = 0, between = 0, after_all = 0;

std::atomic<int> turn = 0;  // orders nothing

void wait_for(int number) {
  while (turn.load(std::memory_order_relaxed) != number) std::this_thread::yield();
}

void write_first() {
  {
    const std::lock_guard lock(mutex);
    inside = 1;
  }
  for (int i = 0; i < 100; ++i) const std::lock_guard lock(mutex);
  after_all = 1;
  turn.store(1, std::memory_order_relaxed);
  wait_for(2);
  // Nobody who has the mutex comes after this.
  between = 1;
  turn.store(3, std::memory_order_relaxed);
}

int main() {
  std::thread first(write_first);
  wait_for(1);
  {
    const std::lock_guard lock(mutex);
    turn.store(2, std::memory_order_relaxed);
    wait_for(3);
    inside = 2;
    after_all = 2;
    between = 2;
  }
  first.join();
  return 0;
}
