// A teller books deposits, an auditor reads the balance when all customers are served. One method forgets the
// lock.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <mutex>

class Account {
 public:
  void deposit(int amount) {
    const std::lock_guard lock(mutex_);
    balance_ += amount;
  }

  int balance() const { return balance_; }

 private:
  mutable std::mutex mutex_;
  int balance_ = 0;
};

Account account;
std::atomic<int> served = 0;  // for a display: it counts, but orders nothing

void* teller(void*) {
  for (int customer = 0; customer < 3; ++customer) {
    account.deposit(10);
    served.fetch_add(1, std::memory_order_relaxed);
  }
  return nullptr;
}

void* auditor(void*) {
  while (served.load(std::memory_order_relaxed) < 3) sched_yield();
  std::printf("balance: %d\n", account.balance());
  return nullptr;
}

int main() {
  account.deposit(100);
  pthread_t first, second;
  pthread_create(&first, nullptr, teller, nullptr);
  pthread_create(&second, nullptr, auditor, nullptr);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
}
