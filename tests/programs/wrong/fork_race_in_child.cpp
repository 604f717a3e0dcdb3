// The parent is fine; two threads of the child race.
// EXPECT: race on value
// CHILD: yes
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

int value;

int main() {
  const pid_t child = fork();
  if (child == 0) {
    std::thread first([] { value = 1; });
    std::thread second([] { value = 2; });
    first.join();
    second.join();
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status;
}
