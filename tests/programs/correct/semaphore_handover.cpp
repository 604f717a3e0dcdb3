// POSIX semaphores pass a message there and back.
// EXPECT: none
#include <semaphore.h>

#include <thread>

sem_t full;
sem_t empty;
int message;

void wait(sem_t& semaphore) {
  while (sem_wait(&semaphore) != 0) {
  }
}

int main() {
  sem_init(&full, 0, 0);
  sem_init(&empty, 0, 1);
  std::thread sender([] {
    for (int i = 0; i < 50; ++i) {
      wait(empty);
      message = i;
      sem_post(&full);
    }
  });
  std::thread receiver([] {
    for (int i = 0; i < 50; ++i) {
      wait(full);
      [[maybe_unused]] volatile int seen = message;
      sem_post(&empty);
    }
  });
  sender.join();
  receiver.join();
}
