// The timed and the shared mutexes of C++, and locking two at once.
// EXPECT: output 6 6
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {
std::mutex first, second;
std::timed_mutex timed;
std::recursive_timed_mutex recursive;
std::shared_timed_mutex shared;
int pairs, total;

void work() {
  using namespace std::chrono_literals;
  for (int i = 0; i < 3; ++i) {
    const std::scoped_lock both(first, second);
    std::this_thread::yield();
    ++pairs;
  }
  for (int i = 0; i < 3; ++i) {
    while (!timed.try_lock_for(1s)) {
    }
    while (!recursive.try_lock_until(std::chrono::steady_clock::now() + 1s)) {
    }
    while (!shared.try_lock_for(1s)) {
    }
    const int seen = total;
    std::this_thread::yield();
    total = seen + 1;
    shared.unlock();
    while (!shared.try_lock_shared_for(1s)) {
    }
    shared.unlock_shared();
    recursive.unlock();
    timed.unlock();
  }
}
}  // namespace

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::printf("%d %d\n", pairs, total);
}
