// One thread does one thing many times: prints the nanoseconds that each took in the best of several rounds.
// What is recorded of other threads' use of the same objects is as in a program with several threads.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>
#include <mutex>
#include <thread>

namespace {

constexpr int kRounds = 15;
constexpr long kWords = 2048;

std::mutex mutex;
std::atomic<long> counter;
std::atomic<long> other_counter;
volatile long words[kWords];
volatile int halves[2 * kWords];
volatile unsigned char bytes[8 * kWords];

template <typename Do>
void measure(const char* name, long count, Do act) {
  double best = std::numeric_limits<double>::max();
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < count; ++i) act(i);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / static_cast<double>(count));
  }
  std::printf("%s %.2f\n", name, best);
}

/// What a thread did before is another time now.
void step(long i, long words_in_step) {
  if (i % words_in_step == 0) counter.store(i, std::memory_order_release);
}

}  // namespace

int main() {
  std::thread user([] {
    const std::lock_guard lock(mutex);
    counter.store(1);
    other_counter.store(1);
  });
  user.join();

  measure("lock_unlock", 200000, [](long) { const std::lock_guard lock(mutex); });
  measure("load_relaxed", 200000, [](long) { (void)counter.load(std::memory_order_relaxed); });
  measure("load_acquire", 200000, [](long) { (void)counter.load(std::memory_order_acquire); });
  measure("store_release", 200000, [](long i) { counter.store(i, std::memory_order_release); });
  measure("fetch_add", 200000, [](long) { counter.fetch_add(1); });
  measure("exchange_if_relaxed", 200000, [](long i) {
    long expected = i;
    other_counter.compare_exchange_weak(expected, i + 1, std::memory_order_relaxed);
  });
  measure("read_again", 400000, [](long i) { (void)words[i % 8]; });
  measure("write_again", 400000, [](long i) { words[i % 8] = i; });
  // At a new time, all that a thread does is new.
  measure("read_word", 16 * kWords, [](long i) {
    step(i, kWords);
    (void)words[i % kWords];
  });
  measure("write_word", 16 * kWords, [](long i) {
    step(i, kWords);
    words[i % kWords] = i;
  });
  measure("read_byte", 64 * kWords, [](long i) {
    step(i, 8 * kWords);
    (void)bytes[i % (8 * kWords)];
  });
  measure("write_byte", 64 * kWords, [](long i) {
    step(i, 8 * kWords);
    bytes[i % (8 * kWords)] = 1;
  });
  // The two halves of words at different times.
  measure("write_half", 16 * kWords, [](long i) {
    step(i, kWords);
    halves[2 * (i % kWords) + i / kWords % 2] = 1;
  });
}
