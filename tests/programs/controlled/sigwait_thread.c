// One thread takes the signals of the process and of itself, the others block them.
// EXPECT: output 1 1 1
#include <signal.h>

#include "controlled.h"

static sigset_t set;
static volatile int got[3];

static void* take_signals(void* nothing) {
  int signal = 0;
  while (signal != SIGTERM) {
    CHECK(sigwait(&set, &signal) == 0);
    ++got[signal == SIGUSR1 ? 0 : signal == SIGUSR2 ? 1 : 2];
  }
  const struct timespec patience = {1000, 0};
  CHECK(sigtimedwait(&set, NULL, &patience) == -1 && errno == EAGAIN);
  return nothing;
}

int main() {
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t taker = start(take_signals);
  kill(getpid(), SIGUSR1);
  sched_yield();
  pthread_kill(taker, SIGUSR2);
  for (int i = 0; i < 20; ++i) sched_yield();
  while (got[0] == 0 || got[1] == 0) sched_yield();
  kill(getpid(), SIGTERM);
  join(taker);
  printf("%d %d %d\n", got[0], got[1], got[2]);
}
