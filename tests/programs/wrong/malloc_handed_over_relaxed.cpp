// A block is handed over by a pointer that orders nothing.
// EXPECT: race
#include <atomic>
#include <thread>

std::atomic<int*> box;

int main() {
  std::thread writer([] {
    int* number = new int;
    *number = 42;
    box.store(number, std::memory_order_relaxed);
  });
  std::thread reader([] {
    int* number = nullptr;
    while ((number = box.load(std::memory_order_relaxed)) == nullptr) std::this_thread::yield();
    [[maybe_unused]] volatile int seen = *number;
  });
  writer.join();
  reader.join();
  delete box.load();
}
