// Words and halves of words that are read again, beside what other threads do with them.
// EXPECT: race on written.high
// EXPECT: race on stored
// EXPECT: race on popular
// EXPECT: race on shared.high
#include <atomic>
#include <thread>

struct alignas(8) Halves {
  volatile int low = 1, high = 1;
};
Halves written;
long stored = 1;
volatile long popular = 1;
Halves shared;

std::atomic<int> turn = 0;  // orders nothing
std::atomic<int> first_told = 0;
std::atomic<int> second_told = 0;

/// The threads take steps one after the other.
template <typename Do>
void step(int number, Do act) {
  while (turn.load(std::memory_order_relaxed) != number) std::this_thread::yield();
  act();
  turn.store(number + 1, std::memory_order_relaxed);
}
void tell(std::atomic<int>& told, int what) { told.store(what, std::memory_order_release); }
void hear(const std::atomic<int>& told, int what) {
  while (told.load(std::memory_order_acquire) != what) std::this_thread::yield();
}
void read_stored() { (void)*const_cast<volatile long*>(&stored); }

void first() {
  step(0, [] { (void)written.high; });
  step(2, [] { tell(first_told, 1); });
  step(5, [] { (void)written.high; });  // the third has written it since
  step(6, read_stored);
  step(7, [] { tell(first_told, 2); });
  step(9, read_stored);  // the third has stored it since
  step(10, [] { (void)popular; });
  step(12, [] {
    for (int i = 0; i < 64; ++i) (void)popular;
    tell(first_told, 3);
  });
  step(16, [] {
    hear(second_told, 2);
    (void)shared.low;
    shared.high = 3;  // the second has written it since
  });
}

void second() {
  step(1, [] { (void)written.low; });
  step(3, [] { tell(second_told, 1); });
  step(11, [] { (void)popular; });
  step(14, [] {
    (void)shared.low;
    tell(second_told, 2);
  });
  step(15, [] { shared.high = 2; });
}

void third() {
  step(4, [] {
    hear(first_told, 1);
    hear(second_told, 1);
    written.high = 2;
  });
  step(8, [] {
    hear(first_told, 2);
    __atomic_store_n(&stored, 2, __ATOMIC_RELAXED);
  });
  step(13, [] {
    hear(first_told, 3);
    popular = 2;  // the second has read it
  });
}

int main() {
  std::thread threads[] = {std::thread(first), std::thread(second), std::thread(third)};
  for (std::thread& thread : threads) thread.join();
  return 0;
}
