// A lock of atomics whose waiters spin without letting anybody run.
// EXPECT: output 20
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {
std::atomic_flag taken;
volatile int owners, total;

void work() {
  for (int i = 0; i < 10; ++i) {
    while (taken.test_and_set(std::memory_order_acquire)) {
    }
    if (++owners != 1) std::quick_exit(1);
    std::this_thread::yield();
    ++total;
    --owners;
    taken.clear(std::memory_order_release);
  }
}
}  // namespace

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::printf("%d\n", total);
}
