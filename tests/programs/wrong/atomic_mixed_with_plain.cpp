// One thread counts atomically, the other one not.
// EXPECT: race on hits
#include <atomic>
#include <thread>

int hits;

int main() {
  std::thread first([] { std::atomic_ref(hits).fetch_add(1); });
  std::thread second([] { ++hits; });
  first.join();
  second.join();
}
