// Waiting on an atomic, which sleeps in a futex.
// EXPECT: none
#include <atomic>
#include <thread>

std::atomic<int> turn;
int value;

void play(int self) {
  for (int round = 0; round < 20; ++round) {
    while (turn.load() != self) turn.wait(1 - self);
    ++value;
    turn.store(1 - self);
    turn.notify_one();
  }
}

int main() {
  std::thread first(play, 0);
  std::thread second(play, 1);
  first.join();
  second.join();
  return value != 40;
}
