// Handlers of exit run in their order, and see what the threads that registered them did before.
// STREAMS 3
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "expect.h"

namespace {

struct Named {
  const char* name;
  ~Named() { std::puts(name); }
};
Named& local() {
  static Named made{"local"};
  return made;
}

}  // namespace

int main() {
  std::atexit([] { std::puts("first"); });
  std::thread([] { local(); }).join();
  std::atexit([] { std::puts("last"); });
  // A child of vfork leaves its parent as it was, whatever it was called from.
  for (int status : {3, 4}) {
    const pid_t child = vfork();
    if (child == 0) _exit(status);
    int ended = 0;
    EXPECT(waitpid(child, &ended, 0) == child && WEXITSTATUS(ended) == status);
  }
  std::puts("end of main");
}
