// Readers do not exclude each other, so a write under the read lock is no better than one without.
// EXPECT: race on cached
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
int cached;

void look_up(int value) {
  const std::shared_lock guard(lock);
  cached = value;
}

int main() {
  std::thread first(look_up, 1);
  std::thread second(look_up, 2);
  first.join();
  second.join();
}
