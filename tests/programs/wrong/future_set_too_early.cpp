// The promise is kept before the work is done.
// EXPECT: race on result
#include <future>
#include <thread>

int result;

int main() {
  std::promise<void> done;
  std::thread worker([&done] {
    done.set_value();
    result = 1;
  });
  done.get_future().wait();
  [[maybe_unused]] volatile int seen = result;
  worker.join();
}
