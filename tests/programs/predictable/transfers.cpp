// Two threads move money between two accounts in opposite directions, each with the lock of the giver first.
// Moving takes less time than starting a thread, so the two hardly ever meet.
// EXPECT: deadlock on savings.mutex, wages.mutex
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 100;
};

Account savings;
Account wages;

void move(Account& from, Account& to, int amount) {
  const std::lock_guard give(from.mutex);
  const std::lock_guard take(to.mutex);
  from.balance -= amount;
  to.balance += amount;
}

int main() {
  std::thread first([] { move(savings, wages, 10); });
  std::thread second([] { move(wages, savings, 20); });
  first.join();
  second.join();
  return savings.balance + wages.balance == 200 ? 0 : 1;
}
