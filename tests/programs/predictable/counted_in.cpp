// The first thread counts itself in by a semaphore, by a system call, and sets the total without a lock. The
// other changes it behind a section of the lock that orders the two in most runs.
// EXPECT: race on total
#include <mutex>
#include <semaphore>
#include <thread>

int total;
std::mutex mutex;
std::counting_semaphore<4> counted_in{0};

void pass_through() { std::lock_guard hold(mutex); }

int main() {
  std::thread first([] {
    counted_in.release();
    total = 1;
    pass_through();
  });
  std::thread second([] {
    pass_through();
    total += 2;
  });
  first.join();
  second.join();
  counted_in.acquire();
  return total > 3 ? 1 : 0;
}
