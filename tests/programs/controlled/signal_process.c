// A signal to the process goes to a thread that lets it in, while the first one blocks it.
// EXPECT: output 5
#include <semaphore.h>
#include <signal.h>

#include "controlled.h"

static sem_t taken;
static pthread_t first;
static sigset_t set, old;

static void on_signal(int signal) {
  (void)signal;
  CHECK(!pthread_equal(pthread_self(), first));
  sem_post(&taken);
}

static void* let_in(void* nothing) {
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  static sem_t never;
  while (1) sem_wait(&never);
  return nothing;
}

int main() {
  first = pthread_self();
  sem_init(&taken, 0, 0);
  signal(SIGUSR1, on_signal);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  start(let_in);
  start(let_in);
  int got = 0;
  for (; got < 5; ++got) {
    CHECK(kill(getpid(), SIGUSR1) == 0);
    while (sem_wait(&taken) != 0) CHECK(errno == EINTR);
  }
  printf("%d\n", got);
}
