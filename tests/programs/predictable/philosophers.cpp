// Three philosophers, each of whom takes the fork on the left first. As a rule one has eaten before the next
// sits down.
// EXPECT: deadlock on forks
#include <mutex>
#include <thread>

std::mutex forks[3];
int meals[3];

void eat(int seat) {
  const std::lock_guard left(forks[seat]);
  const std::lock_guard right(forks[(seat + 1) % 3]);
  ++meals[seat];
}

int main() {
  std::thread first(eat, 0);
  std::thread second(eat, 1);
  std::thread third(eat, 2);
  first.join();
  second.join();
  third.join();
}
