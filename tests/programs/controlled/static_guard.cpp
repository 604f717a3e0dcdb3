// A function's static variable is made once, also if its constructor waits or has thrown before.
// EXPECT: output 3 tries, 1 made
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {
int tries, made;

struct Thing {
  Thing() {
    ++tries;
    std::this_thread::yield();
    if (tries < 3) throw tries;
    std::this_thread::sleep_for(std::chrono::hours(1));
    ++made;
  }
};

void use() {
  while (true) {
    try {
      static Thing thing;
      break;
    } catch (int) {
      std::this_thread::yield();
    }
  }
  if (made != 1) std::_Exit(1);
}
}  // namespace

int main() {
  std::thread a(use), b(use), c(use);
  a.join();
  b.join();
  c.join();
  std::printf("%d tries, %d made\n", tries, made);
}
