// A word's halves: one thread writes the lower half, ordered after all reads of the upper half so far, then
// the upper half, ordered after a read that came since, too.
// EXPECT: none
#include <atomic>
#include <thread>

struct alignas(8) {
  int low = 1, high = 1;
} word;

std::atomic<int> turn = 0;  // orders nothing
std::atomic<int> told = 0;

void wait_for(int number) {
  while (turn.load(std::memory_order_relaxed) != number) std::this_thread::yield();
}
void pass_on() { turn.store(turn.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

void read_first() {
  wait_for(0);
  (void)*const_cast<volatile int*>(&word.high);
  told.fetch_add(1, std::memory_order_release);
  pass_on();
  wait_for(4);
}

void read_twice() {
  wait_for(1);
  (void)*const_cast<volatile int*>(&word.high);
  told.fetch_add(1, std::memory_order_release);
  pass_on();
  wait_for(3);
  (void)*const_cast<volatile int*>(&word.high);
  told.fetch_add(1, std::memory_order_release);
  pass_on();
}

void write_both() {
  wait_for(2);
  while (told.load(std::memory_order_acquire) != 2) std::this_thread::yield();
  word.low = 2;
  pass_on();
  wait_for(4);
  while (told.load(std::memory_order_acquire) != 3) std::this_thread::yield();
  word.high = 2;
}

int main() {
  std::thread first(read_first);
  std::thread second(read_twice);
  std::thread third(write_both);
  first.join();
  second.join();
  third.join();
  return 0;
}
