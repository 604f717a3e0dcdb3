// Handlers run, none is lost, and the program sees its own ones. The timer interrupts threads inside the
// runtime, too.
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <mutex>
#include <thread>

#include "expect.h"

namespace {

std::atomic<int> ticks = 0;
std::atomic<int> value = 0;
std::atomic<long> counter = 0;
sigjmp_buf again;

void tick(int) { ++ticks; }
void take(int, siginfo_t* info, void*) { value = info->si_value.sival_int; }
void jump(int) { siglongjmp(again, 1); }

struct sigaction action(void (*handler)(int), int flags) {
  struct sigaction made{};
  made.sa_handler = handler;
  made.sa_flags = flags;
  return made;
}

}  // namespace

int main() {
  struct sigaction made = action(tick, SA_RESTART);
  struct sigaction seen{};
  EXPECT(sigaction(SIGPROF, &made, nullptr) == 0);
  EXPECT(sigaction(SIGPROF, nullptr, &seen) == 0 && seen.sa_handler == tick);
  EXPECT((seen.sa_flags & SA_SIGINFO) == 0 && (seen.sa_flags & SA_RESTART) != 0);
  EXPECT(signal(SIGUSR2, tick) == SIG_DFL && signal(SIGUSR2, SIG_IGN) == tick);
  EXPECT(signal(SIGUSR2, SIG_DFL) == SIG_IGN && signal(1000, tick) == SIG_ERR);

  made = action(nullptr, SA_SIGINFO | SA_RESETHAND);
  made.sa_sigaction = take;
  EXPECT(sigaction(SIGUSR1, &made, nullptr) == 0);
  sigval sent{};
  sent.sival_int = 42;
  EXPECT(sigqueue(getpid(), SIGUSR1, sent) == 0 && value == 42);
  EXPECT(sigaction(SIGUSR1, nullptr, &seen) == 0 && seen.sa_handler == SIG_DFL);

  const itimerval often{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_PROF, &often, nullptr);
  std::mutex mutex;
  long guarded = 0;
  const auto work = [&] {
    for (int i = 0; i < 50000 || ticks < 20; ++i) {
      counter.fetch_add(1);
      const std::lock_guard lock(mutex);
      ++guarded;
    }
  };
  std::thread other(work);
  work();
  other.join();
  const itimerval never{};
  setitimer(ITIMER_PROF, &never, nullptr);
  EXPECT(counter == guarded);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (int signal = 1; signal < SIGRTMAX; ++signal) EXPECT(sigismember(&blocked, signal) == 0);

  // Out of a handler, again and again: the thread's stack of calls stays what it is.
  signal(SIGSEGV, jump);
  volatile int jumps = 0;
  if (sigsetjmp(again, 1) != 0) jumps = jumps + 1;
  if (jumps < 100) {
    int* volatile nowhere = nullptr;
    *nowhere = 1;
  }
  EXPECT(jumps == 100);
  std::puts("done");
}
