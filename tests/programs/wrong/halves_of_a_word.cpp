// Two fields share a word. The main thread writes one of them, synchronizes, and writes the other; another
// thread reads the first at that moment: what the word says last is about the second.
// EXPECT: race on words.first
#include <mutex>
#include <thread>

struct alignas(8) Words {
  int first = 0;
  int second = 0;
};
Words words;
std::mutex ours;
std::mutex theirs;

// The threads take turns in a way that ravel does not see, so that nothing of it is synchronization.
volatile int turn = 0;
__attribute__((no_sanitize("thread"))) void wait_for_turn(int wanted) {
  while (turn != wanted) std::this_thread::yield();
}
__attribute__((no_sanitize("thread"))) void pass_turn() { turn = turn + 1; }

void synchronize(std::mutex& mutex) {
  mutex.lock();
  mutex.unlock();
}

int main() {
  int seen = 0;
  std::thread reader([&seen] {
    wait_for_turn(1);
    seen = words.first;
    synchronize(theirs);
    pass_turn();
  });
  words.first = 1;
  synchronize(ours);
  words.second = 1;
  pass_turn();
  wait_for_turn(2);
  synchronize(ours);
  reader.join();
  return seen > 1 ? 1 : 0;
}
