// pause, sigsuspend and ppoll wait for a signal from another thread, the latter two without the usual race.
// EXPECT: output 3
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>

#include "controlled.h"

static pthread_t waiter;
static atomic_int handled, asked, paused;

static void on_signal(int signal) {
  (void)signal;
  ++handled;
}

static void* send(void* nothing) {
  for (int i = 1; i <= 2; ++i) {
    while (asked < i) sched_yield();
    pthread_kill(waiter, SIGUSR1);
  }
  while (asked < 3) sched_yield();
  while (!paused) {
    sched_yield();
    pthread_kill(waiter, SIGUSR2);
  }
  return nothing;
}

int main() {
  signal(SIGUSR1, on_signal);
  signal(SIGUSR2, on_signal);
  waiter = pthread_self();
  sigset_t blocked, none;
  sigemptyset(&none);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  pthread_t sender = start(send);
  asked = 1;
  CHECK(sigsuspend(&none) == -1 && errno == EINTR && handled == 1);
  asked = 2;
  CHECK(ppoll(NULL, 0, NULL, &none) == -1 && errno == EINTR && handled == 2);
  asked = 3;
  CHECK(pause() == -1 && errno == EINTR && handled >= 3);
  paused = 1;
  join(sender);
  puts("3");
}
