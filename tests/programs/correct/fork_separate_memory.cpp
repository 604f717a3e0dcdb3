// Parent and child write the same variable, each in its own memory.
// EXPECT: none
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

int value;

int main() {
  value = 1;
  const pid_t child = fork();
  if (child == 0) {
    std::thread([] { ++value; }).join();
    _exit(value == 2 ? 0 : 1);
  }
  ++value;
  int status = 1;
  waitpid(child, &status, 0);
  return status != 0 || value != 2;
}
