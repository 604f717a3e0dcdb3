// A release store needs a load that acquires.
// EXPECT: race on data
#include <atomic>
#include <thread>

std::atomic<bool> ready;
int data;

int main() {
  std::thread writer([] {
    data = 42;
    ready.store(true, std::memory_order_release);
  });
  std::thread reader([] {
    while (!ready.load(std::memory_order_relaxed)) std::this_thread::yield();
    [[maybe_unused]] volatile int seen = data;
  });
  writer.join();
  reader.join();
}
