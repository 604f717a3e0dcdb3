// A coroutine suspended on one thread is resumed on another that nothing orders after the first.
// EXPECT: race on steps
// EXPECT: race
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
    suspended.store(handle.address(), std::memory_order_relaxed);
  }
  void await_resume() noexcept {}
};

Task two_steps() {
  ++steps;
  co_await Handover();
  ++steps;
}

int main() {
  std::thread first([] { two_steps(); });
  std::thread second([] {
    void* address = nullptr;
    while ((address = suspended.load(std::memory_order_relaxed)) == nullptr) std::this_thread::yield();
    std::coroutine_handle<>::from_address(address).resume();
  });
  first.join();
  second.join();
}
