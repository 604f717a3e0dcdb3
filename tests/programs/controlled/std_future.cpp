// Futures: of a promise, of async, broken ones, and such that are asked in vain for a while.
// EXPECT: output ready
// EXPECT: output not yet
// EXPECT: each within 100 seeds
#include <chrono>
#include <cstdio>
#include <future>

int main() {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  auto first = std::async(std::launch::async, [&] { return future.get() + 1; });
  auto second = std::async(std::launch::async, [future] { return future.get() + 2; });
  std::thread setter([&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    promise.set_value(10);
  });
  const auto status = first.wait_for(std::chrono::seconds(1));
  if (first.get() + second.get() != 23) return 1;
  setter.join();
  std::future<void> broken;
  std::thread([&broken] { broken = std::promise<void>().get_future(); }).join();
  try {
    broken.get();
    return 1;
  } catch (const std::future_error&) {
    std::puts(status == std::future_status::ready ? "ready" : "not yet");
  }
}
