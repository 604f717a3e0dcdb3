// jthreads are asked to stop while they wait for a condition with their token.
// EXPECT: output 2 stopped
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable_any condition;
  int stopped = 0, called = 0;
  {
    const auto work = [&](std::stop_token token) {
      const std::stop_callback callback(token, [&] {
        const std::lock_guard lock(mutex);
        ++called;
      });
      std::unique_lock lock(mutex);
      if (!condition.wait(lock, token, [] { return false; })) ++stopped;
    };
    std::jthread a(work), b(work);
    std::this_thread::yield();
    a.request_stop();
  }
  if (called != 2) return 1;
  std::printf("%d stopped\n", stopped);
}
