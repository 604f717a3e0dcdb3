// A writer that forgets the lock the other one takes.
// EXPECT: race on balance
#include <mutex>
#include <thread>

std::mutex lock;
int balance;

void deposit() {
  const std::lock_guard guard(lock);
  balance += 10;
}

void withdraw() { balance -= 10; }

int main() {
  std::thread first(deposit);
  std::thread second(withdraw);
  first.join();
  second.join();
}
