// Two threads use words atomically in turns, often. A third one accesses them plainly, ordered after all of
// that but the last time.
// EXPECT: race on loaded
// EXPECT: race on stored
// EXPECT: race on half.high
#include <atomic>
#include <thread>

long loaded = 1;
long stored = 1;
long counted = 1;
struct alignas(8) Half {
  int low = 1, high = 1;
};
Half half;

constexpr int kRounds = 600;
std::atomic<int> told = 0;
std::atomic<int> turn = 0;    // orders nothing
std::atomic<int> unread = 0;  // nobody loads it

void wait_for(int number) {
  while (turn.load(std::memory_order_relaxed) != number) std::this_thread::yield();
}

void use(int round) {
  const long seen = __atomic_load_n(&loaded, __ATOMIC_RELAXED);
  __atomic_store_n(&stored, seen + round, __ATOMIC_RELAXED);
  unread.store(round, std::memory_order_release);
  (void)__atomic_load_n(&stored, __ATOMIC_RELAXED);
  __atomic_fetch_add(&half.high, round, __ATOMIC_RELAXED);
}

void work(int self) {
  for (int round = self; round < kRounds; round += 2) {
    wait_for(round);
    __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&half.low, round, __ATOMIC_RELAXED);
    use(round);
    told.fetch_add(1, std::memory_order_release);
    turn.store(round + 1, std::memory_order_relaxed);
  }
  if (self != 0) return;
  wait_for(kRounds);
  use(kRounds);
  turn.store(kRounds + 1, std::memory_order_relaxed);
}

int main() {
  std::thread first(work, 0);
  std::thread second(work, 1);
  while (told.load(std::memory_order_acquire) < kRounds) std::this_thread::yield();
  wait_for(kRounds + 1);
  loaded = 2;
  volatile long sum = stored + half.high + half.low + counted;
  half.low = 2;
  sum = sum + half.low;
  first.join();
  second.join();
  return 0;
}
