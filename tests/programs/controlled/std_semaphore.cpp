// std::counting_semaphore and binary_semaphore: acquire, try, and with patience.
// EXPECT: output 0 left
// EXPECT: output 1 left
// EXPECT: each within 100 seeds
#include <atomic>
#include <chrono>
#include <cstdio>
#include <semaphore>
#include <thread>

int main() {
  std::counting_semaphore<8> items(0);
  std::binary_semaphore place(1);
  std::atomic<int> steps(0);
  std::thread producer([&] {
    for (int i = 0; i < 10; ++i) {
      place.acquire();
      items.release();
    }
    for (int i = 0; i < 60; ++i) ++steps;
    items.release();
  });
  for (int i = 0; i < 10; ++i) {
    items.acquire();
    place.release();
  }
  const bool got = items.try_acquire_for(std::chrono::seconds(10));
  producer.join();
  const bool left = items.try_acquire();
  if (left == got || items.try_acquire()) return 1;
  std::printf("%d left\n", left);
}
