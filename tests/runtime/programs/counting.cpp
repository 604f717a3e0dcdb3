// counting ROUNDS [DIRECTORY]: threads count under one lock. With a directory, it is removed first, and a
// child of fork counts a little, too.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

namespace {

long count(int rounds) {
  std::mutex mutex;
  long sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) {
        const std::lock_guard lock(mutex);
        sum += round % 7;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return sum;
}

}  // namespace

int main(int argc, char** words) {
  if (argc > 2) {
    std::filesystem::remove_all(words[2]);
    const pid_t child = fork();
    if (child == 0) _exit(count(2) == 4 ? 0 : 1);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) return 1;
  }
  std::printf("%ld\n", count(std::atoi(words[1])));
  return 4;
}
