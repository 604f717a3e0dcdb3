// Two threads read words in turns. A third one writes them, ordered after all of these reads but the last.
// EXPECT: race on whole
// EXPECT: race on half.high
#include <atomic>
#include <thread>

long whole = 1;
struct alignas(8) Half {
  int low = 1, high = 1;
};
Half half;

std::atomic<int> told = 0;
std::atomic<int> turn = 0;  // orders nothing

void wait_for(int number) {
  while (turn.load(std::memory_order_relaxed) != number) std::this_thread::yield();
}

void read_first() {
  volatile long sum = whole + half.low + half.high;
  told.fetch_add(1, std::memory_order_release);
  turn.store(1, std::memory_order_relaxed);
  wait_for(2);
  sum = sum + whole + half.high;
  turn.store(3, std::memory_order_relaxed);
}

void read_second() {
  wait_for(1);
  volatile long sum = whole + half.low + half.high;
  sum = sum + 1;
  told.fetch_add(1, std::memory_order_release);
  turn.store(2, std::memory_order_relaxed);
}

int main() {
  std::thread first(read_first);
  std::thread second(read_second);
  while (told.load(std::memory_order_acquire) < 2) std::this_thread::yield();
  wait_for(3);
  whole = 2;
  half.low = 2;
  half.high = 2;
  first.join();
  second.join();
  return 0;
}
