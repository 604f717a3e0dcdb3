// One thread reads words, then another one does, several times. A third one writes them, ordered after the
// second reader, not after the first. The second reader also comes to the half of a word that was written by
// a thread that it is not ordered after.
// EXPECT: race on whole
// EXPECT: race on half.low
// EXPECT: race on half.high
#include <atomic>
#include <mutex>
#include <thread>

long whole = 1;
struct alignas(8) Half {
  int low = 1, high = 1;
};
Half half;

std::mutex own;                       // the second reader's
std::atomic<bool> read_once = false;  // these order nothing
std::atomic<bool> end = false;
std::atomic<bool> through = false;

void read_first() {
  volatile long sum = whole + half.low;
  read_once.store(true, std::memory_order_relaxed);
  while (!end.load(std::memory_order_relaxed)) std::this_thread::yield();
  sum = sum + 1;
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
  through.store(true, std::memory_order_release);
}

int main() {
  std::thread first(read_first);
  std::thread second(read_second);
  half.high = 2;
  while (!through.load(std::memory_order_acquire)) std::this_thread::yield();
  whole = 2;
  half.low = 2;
  end.store(true, std::memory_order_relaxed);
  first.join();
  second.join();
  return 0;
}
