// Threads read the same words in turns, again and again, and write some of them now and then under a lock;
// others come when these have ended. One writes what the others have read, when they tell that they are
// through, but have not ended. The words are part of a block of memory that is given back and used again.
// EXPECT: none
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

struct Settings {
  long limit = 1;
  int low = 1, high = 1;
  struct alignas(8) Flags {
    char a = 1, b = 1, c = 1;
  } flags;
  long constant = 1;
  long spread[3 * 4096] = {};  // what is so far apart has the same place in the runtime's tables
};
std::mutex lock;
thread_local std::mutex own;
thread_local long sum = 0;
std::atomic<int> through = 0;
std::atomic<int> turn = 0;  // these order nothing
std::atomic<bool> written = false;

void use(Settings* settings, int me) {
  for (int i = 0; i < 200; ++i) {
    while (turn.load(std::memory_order_relaxed) % 3 != me) std::this_thread::yield();
    {
      const std::lock_guard hold(lock);
      sum += settings->limit + settings->low;
    }
    own.lock();
    sum += settings->constant + settings->flags.c;
    own.unlock();
    sum += settings->constant;
    own.lock();
    sum += settings->spread[0] + settings->spread[4096] + settings->spread[8192];
    own.unlock();
    {
      const std::lock_guard hold(lock);
      sum += settings->high + settings->flags.a + settings->flags.b;
      if (i % 50 == 10 * me) settings->limit = i;
      if (i % 100 == 10 * me) settings->flags.b = 2;
    }
    turn.fetch_add(1, std::memory_order_relaxed);
  }
  through.fetch_add(1, std::memory_order_release);
  while (!written.load(std::memory_order_relaxed)) std::this_thread::yield();
}

int main() {
  for (int round = 0; round < 4; ++round) {
    auto* const settings = new (std::malloc(sizeof(Settings))) Settings;
    std::vector<std::thread> users;
    for (int i = 0; i < 3; ++i) users.emplace_back(use, settings, i);
    while (through.load(std::memory_order_acquire) < 3) std::this_thread::yield();
    settings->constant = 2;
    settings->high = 2;
    settings->spread[4096] = 2;
    through.store(0, std::memory_order_relaxed);
    written.store(true, std::memory_order_relaxed);
    for (std::thread& user : users) user.join();
    written.store(false, std::memory_order_relaxed);
    settings->flags.c = 2;
    settings->spread[8192] = 2;
    std::free(settings);
  }
  return 0;
}
