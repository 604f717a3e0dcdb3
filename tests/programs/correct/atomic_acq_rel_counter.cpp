// The last one to count sees what all the others wrote: the increments are one release sequence.
// EXPECT: none
#include <atomic>
#include <thread>

std::atomic<int> finished;
int results[3];

void work(int self) {
  results[self] = self + 1;
  if (finished.fetch_add(1, std::memory_order_acq_rel) != 2) return;
  [[maybe_unused]] volatile int sum = results[0] + results[1] + results[2];
}

int main() {
  std::thread threads[] = {std::thread(work, 0), std::thread(work, 1), std::thread(work, 2)};
  for (std::thread& thread : threads) thread.join();
}
