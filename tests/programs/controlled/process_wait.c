// One thread waits for a process while another goes on.
// STEPS: vary, because two processes run side by side.
// EXPECT: output 3 5
#include <stdatomic.h>
#include <sys/wait.h>

#include "controlled.h"

static atomic_int status, waited;

static void* wait_for_child(void* child) {
  int result;
  CHECK(waitpid(*(pid_t*)child, &result, 0) == *(pid_t*)child);
  status = WEXITSTATUS(result);
  waited = 1;
  return NULL;
}

int main() {
  pid_t child = fork();
  if (child == 0) {
    usleep(1000);
    _exit(3);
  }
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_child, &child);
  int steps = 0;
  while (!waited || steps < 5) {
    sched_yield();
    steps += steps < 5;
  }
  join(thread);
  printf("%d %d\n", status, steps);
}
