// condition_variable and condition_variable_any, with patience and without.
// EXPECT: output in time
// EXPECT: output too late
// EXPECT: each within 100 seeds
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::shared_mutex shared;
  std::condition_variable first;
  std::condition_variable_any second;
  bool ready = false, answered = false;
  std::thread other([&] {
    {
      std::unique_lock lock(mutex);
      first.wait(lock, [&] { return ready; });
    }
    const std::unique_lock lock(shared);
    answered = true;
    second.notify_all();
  });
  {
    const std::lock_guard lock(mutex);
    ready = true;
  }
  first.notify_one();
  std::shared_lock lock(shared);
  const bool in_time = second.wait_for(lock, std::chrono::minutes(1), [&] { return answered; });
  second.wait(lock, [&] { return answered; });
  lock.unlock();
  other.join();
  std::puts(in_time ? "in time" : "too late");
}
