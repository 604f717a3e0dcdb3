// An initializer that throws has not run: somebody who waited does it.
// EXPECT: output 3 tries
#include <cstdio>
#include <mutex>
#include <thread>

namespace {
std::once_flag flag;
int tries, done;

void initialize() {
  ++tries;
  std::this_thread::yield();
  if (tries < 3) throw tries;
  std::this_thread::yield();
  ++done;
}

void use() {
  while (true) {
    try {
      std::call_once(flag, initialize);
      break;
    } catch (int) {
      std::this_thread::yield();
    }
  }
  if (done != 1) std::_Exit(1);
}
}  // namespace

int main() {
  std::thread a(use), b(use), c(use);
  a.join();
  b.join();
  c.join();
  std::printf("%d tries\n", tries);
}
