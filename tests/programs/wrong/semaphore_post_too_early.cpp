// The post comes before the write that it should announce.
// EXPECT: race on message
#include <semaphore.h>

#include <thread>

sem_t full;
int message;

int main() {
  sem_init(&full, 0, 0);
  std::thread sender([] {
    sem_post(&full);
    message = 1;
  });
  std::thread receiver([] {
    while (sem_wait(&full) != 0) {
    }
    [[maybe_unused]] volatile int seen = message;
  });
  sender.join();
  receiver.join();
}
