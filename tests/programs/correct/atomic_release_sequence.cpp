// A relaxed read-modify-write in between keeps the release sequence alive.
// EXPECT: none
#include <atomic>
#include <thread>

std::atomic<int> stage;
int data;

int main() {
  std::thread writer([] {
    data = 42;
    stage.store(1, std::memory_order_release);
  });
  std::thread messenger([] {
    int expected = 1;
    while (!stage.compare_exchange_weak(expected, 2, std::memory_order_relaxed)) {
      expected = 1;
      std::this_thread::yield();
    }
  });
  std::thread reader([] {
    while (stage.load(std::memory_order_acquire) != 2) std::this_thread::yield();
    [[maybe_unused]] volatile int seen = data;
  });
  writer.join();
  messenger.join();
  reader.join();
}
