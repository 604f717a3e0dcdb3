// Two threads move money between two accounts in opposite directions, each with the lock of the giver first.
// Moving takes less time than starting a thread, so the program always ends; it need not.
#include <pthread.h>

#include <cstdio>

struct Account {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int balance = 100;
};

Account savings;
Account wages;

void move(Account& from, Account& to, int amount) {
  pthread_mutex_lock(&from.mutex);
  pthread_mutex_lock(&to.mutex);
  from.balance -= amount;
  to.balance += amount;
  pthread_mutex_unlock(&to.mutex);
  pthread_mutex_unlock(&from.mutex);
}

void* save(void*) {
  move(wages, savings, 20);
  return nullptr;
}

void* spend(void*) {
  move(savings, wages, 10);
  return nullptr;
}

int main() {
  pthread_t saver;
  pthread_t spender;
  pthread_create(&saver, nullptr, save, nullptr);
  pthread_create(&spender, nullptr, spend, nullptr);
  pthread_join(saver, nullptr);
  pthread_join(spender, nullptr);
  std::printf("savings: %d, wages: %d\n", savings.balance, wages.balance);
}
