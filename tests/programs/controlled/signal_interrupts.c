// Signals end sleep, poll, read and a futex wait with EINTR; a lock goes on waiting.
// EXPECT: output 4
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>

#include "futex.h"

static atomic_int stage, handled;
static pthread_t sleeper;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void on_signal(int signal) {
  (void)signal;
  ++handled;
}

static void* disturb(void* nothing) {
  pthread_mutex_lock(&mutex);
  while (stage < 4) {
    pthread_kill(sleeper, SIGUSR1);
    sched_yield();
  }
  for (int i = 0; i < 5; ++i) {
    pthread_kill(sleeper, SIGUSR1);
    sched_yield();
  }
  pthread_mutex_unlock(&mutex);
  return nothing;
}

int main() {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  sleeper = pthread_self();
  int ends[2];
  CHECK(pipe(ends) == 0);
  pthread_t thread = start(disturb);
  struct timespec left;
  while (nanosleep(&(struct timespec){.tv_sec = 1000}, &left) == 0) {
  }
  CHECK(errno == EINTR && left.tv_sec > 0);
  ++stage;
  struct pollfd one = {ends[0], POLLIN, 0};
  CHECK(poll(&one, 1, -1) == -1 && errno == EINTR);
  ++stage;
  char byte;
  CHECK(read(ends[0], &byte, 1) == -1 && errno == EINTR);
  ++stage;
  uint32_t word = 0;
  CHECK(futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == -1 && errno == EINTR);
  ++stage;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  join(thread);
  CHECK(handled >= 4);
  puts("4");
}
