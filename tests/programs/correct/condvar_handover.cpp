// The data is written before it is announced; one waiter waits with a time limit, which orders as much.
// EXPECT: none
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable changed;
bool ready;
int data;

void produce() {
  data = 42;
  const std::lock_guard guard(lock);
  ready = true;
  changed.notify_all();
}

void consume(bool with_limit) {
  std::unique_lock guard(lock);
  if (with_limit)
    while (!ready) changed.wait_for(guard, std::chrono::seconds(10));
  else
    changed.wait(guard, [] { return ready; });
  guard.unlock();
  [[maybe_unused]] volatile int seen = data;
}

int main() {
  std::thread first(consume, false);
  std::thread second(consume, true);
  std::thread producer(produce);
  producer.join();
  first.join();
  second.join();
}
