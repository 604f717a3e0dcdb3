// Children get streams of their own; a failed exec changes nothing.
// STREAMS 3
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>

#include "expect.h"

namespace {

std::mutex mutex;
int shared = 0;
std::atomic<int> in_child = 0;

int status_of(pid_t child) {
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

}  // namespace

int main() {
  // Runs in the child before anything else of the program does.
  pthread_atfork(nullptr, nullptr, [] { ++in_child; });
  std::atomic<bool> stop = false;
  std::atomic<long> spins = 0;
  std::thread busy([&] {
    while (!stop) ++spins;
  });
  const pid_t child = fork();
  if (child == 0) {
    std::thread([] {
      const std::lock_guard lock(mutex);
      ++shared;
    }).join();
    ++spins;
    _exit(in_child + shared);
  }
  EXPECT(status_of(child) == 2);
  stop = true;
  busy.join();

  const pid_t other = vfork();
  if (other == 0) {
    execl("/bin/true", "true", static_cast<char*>(nullptr));
    _exit(1);
  }
  EXPECT(status_of(other) == 0);
  EXPECT(execl("/does/not/exist", "x", static_cast<char*>(nullptr)) == -1 && errno == ENOENT);
  const std::lock_guard lock(mutex);
  EXPECT(++shared == 1);
  std::puts("done");
}
