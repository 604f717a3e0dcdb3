// Work is done only when try_lock, or a timed lock, got the lock.
// EXPECT: none
#include <chrono>
#include <mutex>
#include <thread>

std::timed_mutex lock;
int hits;

void hit() {
  for (int done = 0; done < 50;) {
    const bool quick = lock.try_lock();
    if (!quick && !lock.try_lock_for(std::chrono::seconds(10))) continue;
    ++hits;
    ++done;
    lock.unlock();
  }
}

int main() {
  std::thread first(hit);
  std::thread second(hit);
  first.join();
  second.join();
  return hits != 100;
}
