// The first thread waits until the second has made a table that both need; here it always does. It then sets
// the total without a lock. The other changes it behind a section of the lock that orders the two in most
// runs.
// EXPECT: race on total
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

int total;
std::mutex mutex;
std::atomic<bool> begun;

void pass_through() { std::lock_guard hold(mutex); }
void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

int make_table() {
  begun = true;
  rest();
  return 3;
}

int entry() {
  static const int table = make_table();
  return table;
}

int main() {
  std::thread first([] {
    while (!begun) std::this_thread::yield();
    total = entry();
    pass_through();
  });
  std::thread second([] {
    const int mine = entry();
    rest();
    pass_through();
    total += mine;
  });
  first.join();
  second.join();
  return total > 6 ? 1 : 0;
}
