// std::barrier and std::latch, which wait by futex.
// EXPECT: none
#include <barrier>
#include <latch>
#include <thread>

std::barrier barrier(2);
std::latch started(2);
int halves[2];

void work(int self) {
  halves[self] = -1;
  started.arrive_and_wait();
  [[maybe_unused]] volatile int before = halves[1 - self];
  barrier.arrive_and_wait();
  for (int round = 0; round < 20; ++round) {
    halves[self] = round;
    barrier.arrive_and_wait();
    [[maybe_unused]] volatile int other = halves[1 - self];
    barrier.arrive_and_wait();
  }
}

int main() {
  std::thread first(work, 0);
  std::thread second(work, 1);
  first.join();
  second.join();
}
