// Children are forked while other threads lock, allocate and start threads; each child does the same again.
// EXIT 0
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::atomic<bool> stop = false;
  std::vector<std::thread> busy;
  for (int i = 0; i < 3; ++i) {
    busy.emplace_back([&] {
      static std::mutex mutex;
      int sum = 0;
      while (!stop) {
        const std::lock_guard lock(mutex);
        std::vector<int> some(100, 1);
        sum += some[5];
        if (sum % 50 == 0) std::thread([&] { ++sum; }).join();
      }
    });
  }
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      std::mutex mutex;
      int mine = 0;
      std::thread first([&] {
        const std::lock_guard lock(mutex);
        ++mine;
      });
      std::thread second([&] {
        const std::lock_guard lock(mutex);
        ++mine;
      });
      first.join();
      second.join();
      _exit(mine);
    }
    int status = 0;
    waitpid(child, &status, 0);
    sum += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
  }
  stop = true;
  for (std::thread& thread : busy) thread.join();
  std::printf("%d\n", sum);
}
