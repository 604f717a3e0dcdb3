// Threads take turns by std::atomic::wait, of a size that is a futex's and of one that is not.
// EXPECT: output 12
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>

namespace {
template <typename Number>
int take_turns() {
  std::atomic<Number> turn(0);
  int sum = 0;
  const auto work = [&](Number mine) {
    for (int i = 0; i < 3; ++i) {
      for (Number seen; (seen = turn.load()) != mine;) turn.wait(seen);
      ++sum;
      turn.store(1 - mine);
      turn.notify_all();
    }
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  return sum;
}
}  // namespace

int main() {
  const int sum = take_turns<int>() + take_turns<std::int64_t>();
  std::printf("%d\n", sum);
}
