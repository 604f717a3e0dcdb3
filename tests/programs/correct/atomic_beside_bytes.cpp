// An atomic variable shares a word with bytes of other threads. What they do there must not make the runtime
// forget what the variable hands on.
// EXPECT: none
#include <atomic>
#include <thread>

struct alignas(8) Word {
  char a = 0, b = 0, c = 0;
  std::atomic<int> flag = 0;
};
Word word;
int payload = 0;
std::atomic<int> turn = 0;  // orders nothing

void wait_for(int number) {
  while (turn.load(std::memory_order_relaxed) != number) std::this_thread::yield();
}

void send() {
  wait_for(2);
  payload = 33;
  word.flag.store(1);
  word.a++;
  turn.store(3, std::memory_order_relaxed);
}

void disturb() {
  word.b++;
  turn.store(1, std::memory_order_relaxed);
}

void receive() {
  wait_for(1);
  volatile int sum = word.flag.load();
  turn.store(2, std::memory_order_relaxed);
  wait_for(3);
  while (word.flag.load() == 0) std::this_thread::yield();
  sum = sum + payload;
  word.c++;
}

int main() {
  word.a = word.b = word.c = 1;
  std::thread sender(send);
  std::thread disturber(disturb);
  std::thread receiver(receive);
  sender.join();
  disturber.join();
  receiver.join();
  return word.a + word.b + word.c == 0;
}
