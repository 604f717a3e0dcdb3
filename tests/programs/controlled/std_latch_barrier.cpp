// std::latch and std::barrier, whose completion function runs once in each phase.
// ADDRESSES: fixed, because std::barrier looks at them.
// EXPECT: output 3 phases
#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <thread>
#include <vector>

namespace {
int phases;
std::atomic<int> arrived, begun;
}  // namespace

int main() {
  std::latch all_begun(3);
  std::barrier barrier(3, []() noexcept {
    if (arrived != 3) std::_Exit(1);
    arrived = 0;
    ++phases;
  });
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      ++begun;
      all_begun.arrive_and_wait();
      if (begun != 3 || !all_begun.try_wait()) std::_Exit(2);
      for (int phase = 0; phase < 3; ++phase) {
        std::this_thread::yield();
        ++arrived;
        barrier.arrive_and_wait();
      }
    });
  all_begun.wait();
  threads.clear();
  std::printf("%d phases\n", phases);
}
