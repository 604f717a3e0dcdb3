// A coroutine wanders over three threads; the handle is handed over with release and acquire.
// EXPECT: none
// NEEDS: <coroutine>
#include <atomic>
#include <coroutine>
#include <exception>
#include <thread>

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

std::atomic<void*> suspended;
int steps;

struct Handover {
  bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept {
    suspended.store(handle.address(), std::memory_order_release);
  }
  void await_resume() noexcept {}
};

Task three_steps() {
  for (int i = 0; i < 2; ++i) {
    ++steps;
    co_await Handover();
  }
  ++steps;
}

void resume() {
  void* address = nullptr;
  while ((address = suspended.exchange(nullptr, std::memory_order_acquire)) == nullptr)
    std::this_thread::yield();
  std::coroutine_handle<>::from_address(address).resume();
}

int main() {
  std::thread first([] { three_steps(); });
  std::thread second(resume);
  std::thread third(resume);
  first.join();
  second.join();
  third.join();
  return steps != 3;
}
