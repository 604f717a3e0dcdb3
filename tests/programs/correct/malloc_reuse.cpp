// Memory that one thread gives back becomes another one's; only the allocator orders their accesses.
// EXPECT: none
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <thread>

std::atomic<int> finished;

void work() {
  // Large blocks come from mmap, and from the same place each time.
  for (const std::size_t size :
       {std::size_t(24), std::size_t(4000), std::size_t(1) << 20, std::size_t(8) << 20}) {
    auto* block = static_cast<volatile char*>(std::malloc(size));
    for (std::size_t i = 0; i < size; i += 8) block[i] = 1;
    std::free(const_cast<char*>(block));
  }
  int* number = new int(1);
  delete number;
  finished.fetch_add(1, std::memory_order_relaxed);
}

int main() {
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);  // and stay there: it would rise
  std::thread threads[8];
  for (int i = 0; i < 8; ++i) {
    threads[i] = std::thread(work);
    while (finished.load(std::memory_order_relaxed) != i + 1) std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
}
