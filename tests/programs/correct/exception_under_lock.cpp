// Exceptions cross several frames, and the lock is released by each of them.
// EXPECT: none
#include <mutex>
#include <stdexcept>
#include <thread>

std::mutex lock;
int attempts;

[[gnu::noinline]] void fail_deep(int depth) {
  if (depth > 0) fail_deep(depth - 1);
  throw std::runtime_error("no");
}

void work() {
  for (int i = 0; i < 20; ++i) {
    try {
      const std::lock_guard guard(lock);
      ++attempts;
      fail_deep(5);
    } catch (const std::runtime_error&) {
    }
  }
}

int main() {
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  return attempts != 40;
}
