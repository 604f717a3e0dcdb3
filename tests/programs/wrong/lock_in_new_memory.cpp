// A mutex lies where an earlier one did: that a thread wrote a word in a section of that one orders nothing,
// also not for what it had written before.
// EXPECT: race on inside
// EXPECT: race on before
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>

struct Block {
  std::mutex mutex;
  char rest[200];
};
Block* make_block() { return new (std::malloc(sizeof(Block))) Block; }
void give_back(Block* block) {
  block->~Block();
  std::free(block);
}

long before = 0, inside = 0;
std::atomic<bool> used = false;  // orders nothing

void use(std::mutex& mutex) {
  before = 1;
  {
    const std::lock_guard lock(mutex);
    inside = 1;
  }
  for (int i = 0; i < 20; ++i) const std::lock_guard lock(mutex);
  used.store(true, std::memory_order_relaxed);
}

int main() {
  Block* block = make_block();
  std::thread user(use, std::ref(block->mutex));
  while (!used.load(std::memory_order_relaxed)) std::this_thread::yield();
  give_back(block);
  block = make_block();  // most likely at the same address
  {
    const std::lock_guard lock(block->mutex);
    inside = 2;
    before = 2;
  }
  user.join();
  give_back(block);
  return 0;
}
