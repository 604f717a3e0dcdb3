// A thread writes a byte and tells so, reads it, and then uses the bytes beside it until nothing else fits
// into what the runtime keeps of the word. The write does not stand for the later read, which another thread
// clashes with.
// EXPECT: race on bytes.a
#include <atomic>
#include <mutex>
#include <thread>

struct alignas(8) Bytes {
  char a = 0, b = 0, c = 0, d = 0, e = 0;
};
Bytes bytes;
std::mutex own;
std::atomic<bool> written = false;
std::atomic<bool> through = false;  // orders nothing

void synchronize() {
  own.lock();
  own.unlock();
}

void use() {
  volatile int sum = 0;
  sum = sum + bytes.d;
  synchronize();
  bytes.b = 1;
  synchronize();
  bytes.a = 1;
  written.store(true, std::memory_order_release);
  synchronize();  // or the compiler need not read it
  sum = sum + bytes.a;
  synchronize();
  sum = sum + bytes.c;
  synchronize();
  sum = sum + bytes.e;
  synchronize();
  sum = sum + bytes.c;
  through.store(true, std::memory_order_relaxed);
}

int main() {
  std::thread user(use);
  while (!written.load(std::memory_order_acquire)) std::this_thread::yield();
  while (!through.load(std::memory_order_relaxed)) std::this_thread::yield();
  bytes.a = 2;
  user.join();
  return 0;
}
