// One thread reads words, then another one does, several times. A third one writes them, ordered after both.
// EXPECT: none
#include <atomic>
#include <mutex>
#include <thread>

long whole = 1;
struct alignas(8) Half {
  int low = 1, high = 1;
};
Half half;

std::mutex own;                       // the second reader's
std::atomic<bool> read_once = false;  // orders nothing for the second reader
std::atomic<int> through = 0;

void read_first() {
  volatile long sum = whole + half.low;
  sum = sum + 1;
  read_once.store(true, std::memory_order_relaxed);
  through.fetch_add(1, std::memory_order_release);
}

void read_second() {
  while (!read_once.load(std::memory_order_relaxed)) std::this_thread::yield();
  volatile long sum = 0;
  for (int i = 0; i < 3; ++i) {
    own.lock();
    sum = sum + whole + half.low;
    own.unlock();
  }
  sum = sum + half.low;
  sum = sum + half.high;
  through.fetch_add(1, std::memory_order_release);
}

int main() {
  half.high = 2;
  std::thread first(read_first);
  std::thread second(read_second);
  while (through.load(std::memory_order_acquire) < 2) std::this_thread::yield();
  whole = 2;
  half.low = 2;
  half.high = 3;
  first.join();
  second.join();
  return 0;
}
