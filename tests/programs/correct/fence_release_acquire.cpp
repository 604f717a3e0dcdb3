// Fences beside relaxed accesses: one against a fence, one against a release store.
// EXPECT: none
#include <atomic>
#include <thread>

std::atomic<int> stage;
int data[3];

int main() {
  std::thread writer([] {
    data[0] = 1;
    std::atomic_thread_fence(std::memory_order_release);
    stage.store(1, std::memory_order_relaxed);
  });
  std::thread middle([] {
    while (stage.load(std::memory_order_relaxed) != 1) std::this_thread::yield();
    std::atomic_thread_fence(std::memory_order_acquire);
    data[1] = data[0] + 1;
    stage.store(2, std::memory_order_release);
  });
  std::thread reader([] {
    while (stage.load(std::memory_order_relaxed) != 2) std::this_thread::yield();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    data[2] = data[0] + data[1];
  });
  writer.join();
  middle.join();
  reader.join();
  return data[2] != 3;
}
