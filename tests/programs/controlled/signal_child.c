// The end of a child interrupts a wait, also if it takes longer than a signal usually does.
// RUNS: one, because of the seconds.
// STEPS: vary, because two processes run side by side.
// EXPECT: output 9
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "controlled.h"

static sem_t semaphore;

static void on_child(int signal) {
  (void)signal;
  sem_post(&semaphore);
}

int main() {
  signal(SIGCHLD, on_child);
  sem_init(&semaphore, 0, 0);
  if (fork() == 0) {
    const struct timespec long_enough = {1, 500000000};
    syscall(SYS_nanosleep, &long_enough, NULL);
    _exit(9);
  }
  while (sem_wait(&semaphore) != 0) CHECK(errno == EINTR);
  int status;
  CHECK(wait(&status) > 0);
  printf("%d\n", WEXITSTATUS(status));
}
