// Relaxed counting tells the last thread that it is the last, not what the first one wrote.
// EXPECT: race on results
#include <atomic>
#include <thread>

std::atomic<int> finished;
int results[2];

void work(int self) {
  results[self] = self + 1;
  if (finished.fetch_add(1, std::memory_order_relaxed) != 1) return;
  [[maybe_unused]] volatile int sum = results[0] + results[1];
}

int main() {
  std::thread first(work, 0);
  std::thread second(work, 1);
  first.join();
  second.join();
}
