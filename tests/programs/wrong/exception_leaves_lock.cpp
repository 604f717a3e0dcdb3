// The exception releases the lock on its way out; the handler then writes without it.
// EXPECT: race on failures
#include <mutex>
#include <stdexcept>
#include <thread>

std::mutex lock;
int failures;

void work() {
  try {
    const std::lock_guard guard(lock);
    throw std::runtime_error("no");
  } catch (const std::runtime_error&) {
    ++failures;
  }
}

int main() {
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
}
