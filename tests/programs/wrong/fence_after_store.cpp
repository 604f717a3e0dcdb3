// A release fence covers what comes before it, and only for stores that come after it.
// EXPECT: race on data
#include <atomic>
#include <thread>

std::atomic<bool> ready;
int data;

int main() {
  std::thread writer([] {
    data = 42;
    ready.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  });
  std::thread reader([] {
    while (!ready.load(std::memory_order_relaxed)) std::this_thread::yield();
    std::atomic_thread_fence(std::memory_order_acquire);
    [[maybe_unused]] volatile int seen = data;
  });
  writer.join();
  reader.join();
}
