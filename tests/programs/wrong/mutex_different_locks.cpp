// Each thread takes a lock, but not the same one.
// EXPECT: race on balance
#include <mutex>
#include <thread>

std::mutex deposit_lock;
std::mutex withdraw_lock;
int balance;

int main() {
  std::thread first([] {
    const std::lock_guard guard(deposit_lock);
    balance += 10;
  });
  std::thread second([] {
    const std::lock_guard guard(withdraw_lock);
    balance -= 10;
  });
  first.join();
  second.join();
}
