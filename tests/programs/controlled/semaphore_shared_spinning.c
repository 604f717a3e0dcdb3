// A thread waits for another process by a semaphore, while a second one of its process spins.
// STEPS: vary, because two processes run side by side.
// EXPECT: output got
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "controlled.h"

static sem_t* semaphore;
static atomic_int done;

static void* spin(void* nothing) {
  while (!done) sched_yield();
  return nothing;
}

int main() {
  semaphore = mmap(NULL, sizeof *semaphore, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(semaphore, 1, 0);
  pid_t child = fork();
  if (child == 0) {
    sem_post(semaphore);
    _exit(0);
  }
  pthread_t spinner = start(spin);
  CHECK(sem_wait(semaphore) == 0);
  done = 1;
  join(spinner);
  CHECK(waitpid(child, NULL, 0) == child);
  puts("got");
}
