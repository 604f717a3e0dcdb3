// The first writes after the other thread's are under the lock, a later one is not; nobody comes between.
// EXPECT: race on total
#include <atomic>
#include <mutex>
#include <thread>

std::mutex mutex;
int total;
std::atomic<int> stage;

void wait_for(int value) {
  while (stage.load(std::memory_order_relaxed) != value) std::this_thread::yield();
}

int main() {
  std::thread first([] {
    {
      const std::lock_guard lock(mutex);
      total = 1;
    }
    stage.store(1, std::memory_order_relaxed);
  });
  std::thread second([] {
    wait_for(1);
    for (int i = 0; i < 3; ++i) {
      const std::lock_guard lock(mutex);
      total += 1;
    }
    total += 1;
    stage.store(2, std::memory_order_relaxed);
  });
  std::thread third([] {
    wait_for(2);
    const std::lock_guard lock(mutex);
    total += 1;
  });
  first.join();
  second.join();
  third.join();
}
