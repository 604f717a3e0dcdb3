// A plain store by another thread ends the release sequence: its reader acquires nothing of the writer's.
// EXPECT: race on data
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
    while (stage.load(std::memory_order_relaxed) != 1) std::this_thread::yield();
    stage.store(2, std::memory_order_relaxed);
  });
  std::thread reader([] {
    while (stage.load(std::memory_order_relaxed) != 2) std::this_thread::yield();
    stage.load(std::memory_order_acquire);  // reads 2; a 1 would be the writer's
    [[maybe_unused]] volatile int seen = data;
  });
  writer.join();
  messenger.join();
  reader.join();
}
