// EXIT 134
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::puts("begin");
  std::fflush(stdout);
  std::thread([&] {
    const std::lock_guard lock(mutex);
    std::abort();
  }).join();
}
