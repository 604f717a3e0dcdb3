// Threads read the same words in turns, at ever new times, again and again, and tell so. Each reads them
// once more; then another thread writes them, some before the readers have ended, some after that, but before
// they are joined. Only these last reads are not ordered before the writes: none of them may be forgotten,
// of whole words or of parts.
// EXPECT: race on settings.limit
// EXPECT: race on settings.low
// EXPECT: race on settings.high
// EXPECT: race on settings.flags.a
// EXPECT: race on settings.flags.b
// EXPECT: race on settings.flags.c
// EXPECT: race on settings.flags.d
// EXPECT: race on settings.late
// EXPECT: race on settings.early
// EXPECT: race on spread[0]
// EXPECT: race on spread[4096]
// EXPECT: race on spread[8192]
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

struct Settings {
  long limit = 1;
  int low = 1, high = 1;
  struct alignas(8) Flags {
    char a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1;
  } flags;
  long late = 1;
  int beside = 1, early = 1;  // the second one is written before the readers come to it
  long quiet = 1;             // nobody reads it when it is written
};
Settings settings;
constexpr int kApart = 4096;
long spread[3 * kApart];  // what is so far apart has the same place in the runtime's tables

thread_local std::mutex own;
thread_local long sum = 0;
std::atomic<int> ready = 0;
std::atomic<int> turn = 0;  // these order nothing
std::atomic<int> through = 0;
std::atomic<bool> written = false;
std::atomic<long> numbers[3];  // by which the kernel knows the readers

void synchronize() {
  own.lock();
  own.unlock();
}

void read_all() {
  synchronize();
  sum += settings.limit + settings.late + settings.beside;
  synchronize();
  sum += settings.low;
  synchronize();
  sum += settings.high;
  synchronize();
  sum += spread[0] + spread[kApart] + spread[2 * kApart];
}

void use(int me) {
  for (int i = 0; i < 100; ++i) {
    while (turn.load(std::memory_order_relaxed) % 3 != me) std::this_thread::yield();
    read_all();
    sum += settings.quiet;
    long flags = 0;
    std::memcpy(&flags, &settings.flags, sizeof flags);
    sum += flags;
    turn.fetch_add(1, std::memory_order_relaxed);
  }
  ready.fetch_add(1, std::memory_order_release);
  read_all();
  sum += settings.early + settings.flags.a;
  synchronize();
  sum += settings.flags.b;
  synchronize();
  sum += settings.flags.c;
  synchronize();
  sum += settings.flags.d;
  numbers[me].store(syscall(SYS_gettid), std::memory_order_relaxed);
  through.fetch_add(1, std::memory_order_relaxed);
  while (!written.load(std::memory_order_relaxed)) std::this_thread::yield();
}

int main() {
  std::vector<std::thread> users;
  for (int i = 0; i < 3; ++i) users.emplace_back(use, i);
  settings.early = 2;
  while (ready.load(std::memory_order_acquire) < 3) std::this_thread::yield();
  while (through.load(std::memory_order_relaxed) < 3) std::this_thread::yield();
  settings.quiet = 2;
  settings.limit = 2;
  settings.low = 2;
  settings.high = 2;
  settings.flags.a = 2;
  settings.flags.b = 2;
  settings.flags.c = 2;
  settings.flags.d = 2;
  spread[0] = 2;
  spread[kApart] = 2;
  spread[2 * kApart] = 2;
  written.store(true, std::memory_order_relaxed);
  for (const std::atomic<long>& number : numbers)  // until they have ended
    while (syscall(SYS_tgkill, getpid(), number.load(std::memory_order_relaxed), 0) == 0)
      std::this_thread::yield();
  settings.late = 2;
  for (std::thread& user : users) user.join();
  return 0;
}
