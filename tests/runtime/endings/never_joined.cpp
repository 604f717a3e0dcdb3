// Main returns while threads, one detached and one nobody joins, still run.
// EXIT 5
#include <pthread.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace {

// Never destroyed: the threads outlive main.
std::mutex& mutex = *new std::mutex;
std::atomic<int>& running = *new std::atomic<int>(0);

[[noreturn]] void* run_forever(void*) {
  ++running;
  for (;;) const std::lock_guard lock(mutex);
}

}  // namespace

int main() {
  std::thread(run_forever, nullptr).detach();
  pthread_t other{};
  pthread_create(&other, nullptr, run_forever, nullptr);
  while (running < 2) std::this_thread::yield();
  return 5;
}
