// A semaphore in shared memory: the parent waits for posts of a child's threads.
// STEPS: vary, because two processes run side by side.
// EXPECT: output 10
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "controlled.h"

static sem_t* semaphore;

static void* post(void* nothing) {
  for (int i = 0; i < 5; ++i) {
    usleep(500);
    sem_post(semaphore);
  }
  return nothing;
}

int main() {
  semaphore = mmap(NULL, sizeof *semaphore, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(semaphore, 1, 0);
  pid_t child = fork();
  if (child == 0) {
    pthread_t threads[] = {start(post), start(post)};
    join(threads[0]);
    join(threads[1]);
    _exit(0);
  }
  int got = 0;
  while (got < 10 && sem_wait(semaphore) == 0) ++got;
  CHECK(waitpid(child, NULL, 0) == child);
  printf("%d\n", got);
}
