// Other programs are started in every way there is, from a thread, while another one works.
// EXIT 0
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

int code_of(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

int main() {
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    std::mutex mutex;
    while (!stop) const std::lock_guard lock(mutex);
  });
  std::thread([] {
    const pid_t child = vfork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", "exit 3", static_cast<char*>(nullptr));
      _exit(1);
    }
    std::printf("vfork %d\n", code_of(child));

    const char* const words[] = {"sh", "-c", "exit 4", nullptr};
    pid_t spawned = 0;
    const int failed =
        posix_spawn(&spawned, "/bin/sh", nullptr, nullptr, const_cast<char* const*>(words), environ);
    std::printf("posix_spawn %d %d\n", failed, code_of(spawned));

    std::printf("system %d\n", WEXITSTATUS(std::system("exit 5")));

    FILE* const pipe = popen("echo from a pipe", "r");
    char line[64] = "";
    if (std::fgets(line, sizeof line, pipe) != nullptr) std::printf("%s", line);
    std::printf("pclose %d\n", pclose(pipe));
  }).join();
  stop = true;
  busy.join();
}
