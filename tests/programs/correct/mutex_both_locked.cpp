// Both writers take the lock.
// EXPECT: none
#include <mutex>
#include <thread>

std::mutex lock;
int balance;

void change(int amount) {
  for (int i = 0; i < 100; ++i) {
    const std::lock_guard guard(lock);
    balance += amount;
  }
}

int main() {
  std::thread first(change, 10);
  std::thread second(change, -10);
  first.join();
  second.join();
  return balance;
}
