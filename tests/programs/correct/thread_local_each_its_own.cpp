// One name, one variable a thread; threads come and go, so their storage is used again.
// EXPECT: none
#include <thread>

thread_local int count;

void work() {
  int* const mine = &count;
  for (int i = 0; i < 20; ++i) *mine += i;
}

int main() {
  for (int round = 0; round < 5; ++round) {
    std::thread first(work);
    std::thread second(work);
    work();
    first.join();
    second.join();
  }
}
