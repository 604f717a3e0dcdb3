// As transfers, but both locks are taken in an order that does not depend on who gives.
// EXPECT: none
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 100;
};

Account savings;
Account wages;

void move(Account& from, Account& to, int amount) {
  const std::lock_guard first(savings.mutex);
  const std::lock_guard second(wages.mutex);
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
