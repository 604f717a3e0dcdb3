// The default order: a lock made of an exchange.
// EXPECT: none
#include <atomic>
#include <thread>

std::atomic<bool> taken;
int count;

void work() {
  for (int i = 0; i < 50; ++i) {
    while (taken.exchange(true)) std::this_thread::yield();
    ++count;
    taken = false;
  }
}

int main() {
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  return count != 100;
}
