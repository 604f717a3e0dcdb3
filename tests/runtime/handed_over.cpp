// Memory that is handed from thread to thread leaves nothing in the recording if the order is certain: by
// fork and join, by release and acquire, and by a clash in two sections of a lock, of which both accesses are
// recorded. What nothing orders is recorded, too, the first access late; of atomic accesses that is said
// once.
// RECORDS Read 2
// RECORDS RetroWrite 3
// RECORDS Write 0
// RECORDS RetroRead 0
#include <pthread.h>

#include <atomic>
#include <thread>

#include "expect.h"

namespace {

constexpr int kWords = 512;
int forked[kWords], released[kWords], locked[kWords];
alignas(8) char parts[8];  // of one word: each thread has its own
alignas(8) int unordered;  // a word each
alignas(8) int ready;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
alignas(8) std::atomic<int> count;
alignas(8) std::atomic<bool> gate;
alignas(8) std::atomic<bool> go;

void fill(int (&words)[kWords], int value) {
  for (int& word : words) word = value;
}
bool are(const int (&words)[kWords], int value) {
  bool all = true;
  for (const int word : words) all = all && word == value;
  return all;
}

void follow() {
  EXPECT(are(forked, 1));
  fill(forked, 2);
  parts[4] = 1;
  while (!gate.load(std::memory_order_acquire)) {
  }
  EXPECT(are(released, 1));
  fill(released, 2);
  while (!go.load(std::memory_order_relaxed)) {  // orders nothing
  }
  EXPECT(unordered == 1);
  pthread_mutex_lock(&mutex);
  EXPECT(ready == 1);
  pthread_mutex_unlock(&mutex);
  EXPECT(are(locked, 1));
  fill(locked, 2);
}

}  // namespace

int main() {
  std::thread one([] { count.fetch_add(1, std::memory_order_relaxed); });
  std::thread two([] { count.fetch_add(1, std::memory_order_relaxed); });
  one.join();
  two.join();
  fill(forked, 1);
  std::thread other(follow);
  parts[0] = 1;
  fill(released, 1);
  gate.store(true, std::memory_order_release);
  fill(locked, 1);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_mutex_unlock(&mutex);
  unordered = 1;
  go.store(true, std::memory_order_relaxed);
  other.join();
  EXPECT(are(forked, 2) && are(released, 2) && are(locked, 2));
  EXPECT(parts[0] + parts[4] == 2);
}
