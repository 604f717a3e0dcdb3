// Eight fields share a word. A thread uses them one after the other and synchronizes after each; another one
// writes them all, when it has seen that the first is through.
// EXPECT: none
#include <atomic>
#include <mutex>
#include <thread>

struct alignas(8) Bytes {
  char a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
};
Bytes bytes;
std::mutex ours;
std::atomic<bool> used = false;

void synchronize() {
  ours.lock();
  ours.unlock();
}

void use() {
  int sum = bytes.a;
  synchronize();
  bytes.b = 1;
  synchronize();
  sum += bytes.c;
  synchronize();
  bytes.d = 1;
  synchronize();
  sum += bytes.e;
  synchronize();
  bytes.f = 1;
  synchronize();
  sum += bytes.g;
  synchronize();
  bytes.h = static_cast<char>(sum);
  used.store(true, std::memory_order_release);
}

int main() {
  std::thread user(use);
  while (!used.load(std::memory_order_acquire)) std::this_thread::yield();
  bytes.a = 2;
  bytes.b = 2;
  bytes.c = 2;
  bytes.d = 2;
  bytes.e = 2;
  bytes.f = 2;
  bytes.g = 2;
  bytes.h = 2;
  user.join();
  return 0;
}
