// A large buffer is cleared for the next use while the last one may still go on.
// EXPECT: race on buffer
#include <atomic>
#include <cstring>
#include <thread>

char buffer[200000];
std::atomic<bool> done;

int main() {
  std::thread user([] {
    std::memset(buffer, 1, sizeof buffer);
    done.store(true, std::memory_order_relaxed);
  });
  std::thread cleaner([] {
    while (!done.load(std::memory_order_relaxed)) std::this_thread::yield();
    std::memset(buffer, 0, sizeof buffer);
  });
  user.join();
  cleaner.join();
}
