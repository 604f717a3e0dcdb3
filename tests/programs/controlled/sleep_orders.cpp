// Two threads sleep ten seconds each: none of the world's, and either may wake first.
// TIMEOUT: 8
// EXPECT: output ab
// EXPECT: output ba
// EXPECT: each within 20 seeds
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

int main() {
  std::mutex mutex;
  std::string order;
  const auto work = [&](char name) {
    std::this_thread::sleep_for(std::chrono::seconds(10));
    const std::lock_guard lock(mutex);
    order += name;
  };
  const auto begin = std::chrono::steady_clock::now();
  std::thread a(work, 'a'), b(work, 'b');
  a.join();
  b.join();
  const auto passed = std::chrono::steady_clock::now() - begin;
  if (passed < std::chrono::seconds(10) || passed > std::chrono::seconds(21)) return 1;
  std::puts(order.c_str());
}
