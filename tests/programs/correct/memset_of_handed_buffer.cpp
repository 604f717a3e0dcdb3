// A large buffer goes from thread to thread under a lock, and each clears it anew, several times.
// EXPECT: none
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

char buffer[200000];
std::mutex mutex;
std::condition_variable changed;
int turn;

void use(int me) {
  for (int round = 0; round < 4; ++round) {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [me] { return turn % 2 == me; });
    }
    for (int i = 0; i < 3; ++i) {
      std::memset(buffer + 8 * i, me, sizeof buffer - 100 * static_cast<std::size_t>(i));
      const std::lock_guard lock(mutex);  // a new local time
    }
    const std::lock_guard lock(mutex);
    ++turn;
    changed.notify_all();
  }
}

int main() {
  std::thread other(use, 1);
  use(0);
  other.join();
}
