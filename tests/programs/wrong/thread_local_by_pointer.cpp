// A thread-local variable whose address got out.
// EXPECT: race
#include <atomic>
#include <thread>

thread_local int mine;
std::atomic<int*> leaked;
std::atomic<bool> done;

int main() {
  std::thread owner([] {
    mine = 1;
    leaked.store(&mine, std::memory_order_relaxed);
    while (!done.load(std::memory_order_relaxed)) std::this_thread::yield();
  });
  std::thread stranger([] {
    int* theirs = nullptr;
    while ((theirs = leaked.load(std::memory_order_relaxed)) == nullptr) std::this_thread::yield();
    *theirs = 2;
    done.store(true, std::memory_order_relaxed);
  });
  owner.join();
  stranger.join();
}
