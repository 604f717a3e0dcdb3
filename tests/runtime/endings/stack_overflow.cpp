// A thread overflows its stack; the handler runs on a stack of its own.
// EXIT 3
#include <signal.h>
#include <unistd.h>

#include <array>
#include <thread>

namespace {

volatile int deepest = 1 << 30;

__attribute__((noinline)) int fall(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  return depth == deepest ? 0 : fall(depth + 1) + frame[0];
}

}  // namespace

int main() {
  std::thread([] {
    static std::array<char, 64 * 1024> memory;
    stack_t own{};
    own.ss_sp = memory.data();
    own.ss_size = memory.size();
    sigaltstack(&own, nullptr);
    struct sigaction action{};
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t*, void*) {
      const char text[] = "overflow\n";
      if (write(1, text, sizeof text - 1) > 0) _exit(3);
    };
    sigaction(SIGSEGV, &action, nullptr);
    return fall(0);
  }).join();
}
