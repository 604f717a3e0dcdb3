// Two processes meet at a barrier in shared memory.
// STEPS: vary, because two processes run side by side.
// EXPECT: output met 10 times
#include <sys/mman.h>
#include <sys/wait.h>

#include "controlled.h"

int main() {
  pthread_barrier_t* barrier =
      mmap(NULL, sizeof *barrier, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(barrier, &attributes, 2);
  pid_t child = fork();
  int serial = 0;
  for (int i = 0; i < 10; ++i) serial += pthread_barrier_wait(barrier) != 0;
  if (child == 0) _exit(serial);
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  printf("met %d times\n", serial + WEXITSTATUS(status));
}
