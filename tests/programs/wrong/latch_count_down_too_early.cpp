// The worker counts the latch down before it has written.
// EXPECT: race on result
#include <latch>
#include <thread>

std::latch done(1);
int result;

int main() {
  std::thread worker([] {
    done.count_down();
    result = 1;
  });
  done.wait();
  [[maybe_unused]] volatile int seen = result;
  worker.join();
}
