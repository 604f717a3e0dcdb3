// A relaxed flag tells that the data is there, but does not bring it along.
// EXPECT: race on data
#include <atomic>
#include <thread>

std::atomic<bool> ready;
int data;

int main() {
  std::thread writer([] {
    data = 42;
    ready.store(true, std::memory_order_relaxed);
  });
  std::thread reader([] {
    while (!ready.load(std::memory_order_relaxed)) std::this_thread::yield();
    [[maybe_unused]] volatile int seen = data;
  });
  writer.join();
  reader.join();
}
