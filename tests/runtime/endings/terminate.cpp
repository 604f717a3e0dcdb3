// An exception leaves a thread; the program's own handler speaks last.
// EXIT 9
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <thread>

int main() {
  std::set_terminate([] {
    std::puts("terminated");
    std::fflush(stdout);
    _exit(9);
  });
  std::thread([] { throw std::runtime_error("nobody catches it"); }).join();
}
