// A thread calls exit while others, and main, are in the middle of their work.
// EXIT 7
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

std::mutex& mutex = *new std::mutex;
std::atomic<int>& running = *new std::atomic<int>(0);

[[noreturn]] void run_forever() {
  ++running;
  for (;;) const std::lock_guard lock(mutex);
}

}  // namespace

int main() {
  std::atexit([] { std::puts("handler"); });
  std::thread(run_forever).detach();
  std::thread([] {
    while (running < 2) std::this_thread::yield();
    std::exit(7);
  }).detach();
  run_forever();
}
