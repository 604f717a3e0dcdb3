// Threads hand on words by flags, over and over, so that nothing has to be recorded; but each goes on with
// some of them. Whoever reads the flag comes after what was done before, and not after what came later.
// EXPECT: race on after_the_flag
// EXPECT: race on after_the_count
// EXPECT: race on of_the_first
#include <atomic>
#include <thread>

long before, after_the_flag, after_the_count, of_the_first, in_between;
std::atomic<int> flag = 0, second_flag = 0, count = 0;
std::atomic<int> turn = 0;  // orders nothing

void wait_for(int number) {
  while (turn.load(std::memory_order_relaxed) != number) std::this_thread::yield();
}

void send() {
  for (int i = 1; i <= 100; ++i) {
    before++;
    flag.store(i, std::memory_order_release);
    while (second_flag.load(std::memory_order_acquire) != i) std::this_thread::yield();
  }
  before++;
  of_the_first++;
  flag.store(101, std::memory_order_release);
  after_the_flag++;
  count.fetch_add(1, std::memory_order_release);
  after_the_count++;
  flag.store(102, std::memory_order_relaxed);  // begins anew: it orders nothing
  turn.store(1, std::memory_order_relaxed);
}

void answer() {
  for (int i = 1; i <= 100; ++i) {
    while (flag.load(std::memory_order_acquire) != i) std::this_thread::yield();
    before++;
    in_between++;
    second_flag.store(i, std::memory_order_release);
  }
  wait_for(1);
  in_between += flag.load(std::memory_order_acquire) > 102 ? 1 : 0;  // comes after the 100th answer only
  of_the_first++;
  turn.store(2, std::memory_order_relaxed);
}

void count_on() {
  wait_for(2);
  if (count.fetch_add(1, std::memory_order_acquire) == 1) after_the_flag += 0;  // after the first count
  after_the_count++;
  turn.store(3, std::memory_order_relaxed);
}

void look() {
  wait_for(3);
  after_the_flag++;
}

int main() {
  std::thread a(send), b(answer), c(count_on), d(look);
  a.join();
  b.join();
  c.join();
  d.join();
  return before + in_between == 0;
}
