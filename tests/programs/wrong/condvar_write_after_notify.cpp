// The producer says that the data is ready, then writes it.
// EXPECT: race on data
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable changed;
bool ready;
int data;

void produce() {
  {
    const std::lock_guard guard(lock);
    ready = true;
    changed.notify_one();
  }
  data = 42;
}

void consume() {
  std::unique_lock guard(lock);
  changed.wait(guard, [] { return ready; });
  guard.unlock();
  [[maybe_unused]] volatile int seen = data;
}

int main() {
  std::thread consumer(consume);
  std::thread producer(produce);
  producer.join();
  consumer.join();
}
