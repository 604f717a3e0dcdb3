// A static variable needs itself: its thread waits for itself, and others wait, too.
// EXPECT: deadlock
#include <cstdio>
#include <thread>

namespace {

int make() {
  static const int value = make() + 1;
  return value;
}

void use() { std::printf("%d\n", make()); }
}  // namespace

int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
}
