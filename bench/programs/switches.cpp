// Two threads that do nothing but synchronize.
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
long count = 0;

void work(long rounds) {
  for (long i = 0; i < rounds; ++i) {
    const std::lock_guard lock(mutex);
    ++count;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? std::atol(argv[1]) : 200000;
  std::thread other(work, rounds);
  work(rounds);
  other.join();
  return count == 2 * rounds ? 0 : 1;
}
