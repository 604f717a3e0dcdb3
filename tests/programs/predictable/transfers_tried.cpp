// As transfers, but the second lock is only tried, or not waited for longer than some time: who does not get
// it lets go of the first and begins anew. std::scoped_lock does the same.
// EXPECT: none
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

struct Account {
  std::timed_mutex mutex;
  std::shared_mutex rate_mutex;
  int balance = 100;
};

Account savings;
Account wages;

void move(Account& from, Account& to, int amount) {
  for (bool done = false; !done;) {
    const std::lock_guard first(from.mutex);
    const std::unique_lock second(to.mutex, std::try_to_lock);
    if (!second) continue;
    from.balance -= amount;
    to.balance += amount;
    done = true;
  }
}

void move_in_time(Account& from, Account& to, int amount) {
  for (bool done = false; !done;) {
    const std::lock_guard first(from.mutex);
    const std::unique_lock second(to.mutex, std::chrono::milliseconds(1));
    if (!second) continue;
    from.balance -= amount;
    to.balance += amount;
    done = true;
  }
}

void move_scoped(Account& from, Account& to, int amount) {
  const std::scoped_lock both(from.rate_mutex, to.rate_mutex);
  move(from, to, amount);
}

int main() {
  for (void (*how)(Account&, Account&, int) : {move, move_in_time, move_scoped}) {
    std::thread first([how] { how(savings, wages, 10); });
    std::thread second([how] { how(wages, savings, 20); });
    first.join();
    second.join();
  }
  return savings.balance + wages.balance == 200 ? 0 : 1;
}
