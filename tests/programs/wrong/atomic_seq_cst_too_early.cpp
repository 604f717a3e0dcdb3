// The strongest order does not help a write that comes after the store.
// EXPECT: race on data
#include <atomic>
#include <thread>

std::atomic<bool> ready;
int data;

int main() {
  std::thread writer([] {
    ready = true;
    data = 42;
  });
  std::thread reader([] {
    while (!ready) std::this_thread::yield();
    [[maybe_unused]] volatile int seen = data;
  });
  writer.join();
  reader.join();
}
