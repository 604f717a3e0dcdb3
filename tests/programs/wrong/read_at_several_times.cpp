// A thread reads a byte, tells so, and reads another one of the same word. Others read until the runtime has
// no room for all of it and keeps the two reads as one. Then it reads the first byte again, which clashes.
// EXPECT: race on bytes.d
#include <atomic>
#include <mutex>
#include <thread>

struct alignas(8) Bytes {
  char a = 0, b = 0, c = 0, d = 0, e = 0;
};
Bytes bytes;
std::mutex own;
std::atomic<bool> told = false;
std::atomic<int> turn = 0;  // orders nothing

void wait_for(int number) {
  while (turn.load(std::memory_order_relaxed) != number) std::this_thread::yield();
}

void use() {
  volatile int sum = 0;
  wait_for(1);
  sum = sum + bytes.d;
  told.store(true, std::memory_order_release);
  sum = sum + bytes.a;
  turn.store(2, std::memory_order_relaxed);
  wait_for(3);
  sum = sum + bytes.d;
  turn.store(4, std::memory_order_relaxed);
}

void disturb() {
  volatile int sum = 0;
  sum = sum + bytes.e;
  own.lock();
  own.unlock();
  turn.store(1, std::memory_order_relaxed);
  wait_for(2);
  sum = sum + bytes.c;
  turn.store(3, std::memory_order_relaxed);
}

int main() {
  std::thread user(use);
  std::thread other(disturb);
  while (!told.load(std::memory_order_acquire)) std::this_thread::yield();
  wait_for(4);
  bytes.d = 2;
  user.join();
  other.join();
  return 0;
}
