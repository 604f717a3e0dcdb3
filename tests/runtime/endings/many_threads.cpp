// Hundreds of threads at once, then two thousand one after the other.
// EXIT 0
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::mutex mutex;
  int sum = 0;
  const auto add = [&] {
    const std::lock_guard lock(mutex);
    ++sum;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 300; ++i) threads.emplace_back(add);
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 2000; ++i) std::thread(add).join();
  std::printf("%d\n", sum);
}
