// A child that is killed leaves its robust mutex to its parent, who waits for it.
// STEPS: vary, because two processes run side by side.
// EXPECT: output owner died
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "controlled.h"

int main() {
  pthread_mutex_t* mutex =
      mmap(NULL, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(mutex, &attributes);
  int ends[2];
  CHECK(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(mutex);
    CHECK(write(ends[1], "x", 1) == 1);
    sleep(1);
    kill(getpid(), SIGKILL);
  }
  char byte;
  CHECK(read(ends[0], &byte, 1) == 1);
  CHECK(pthread_mutex_lock(mutex) == EOWNERDEAD);
  CHECK(waitpid(child, NULL, 0) == child);
  puts("owner died");
}
