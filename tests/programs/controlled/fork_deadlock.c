// A child inherits a mutex that a thread of its parent had: in the child nobody gives it back.
// EXPECT: output parent done, child 66
#include <semaphore.h>
#include <sys/wait.h>

#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t taken, forked;

static void* keep(void* nothing) {
  pthread_mutex_lock(&mutex);
  sem_post(&taken);
  sem_wait(&forked);
  pthread_mutex_unlock(&mutex);
  return nothing;
}

int main() {
  sem_init(&taken, 0, 0);
  sem_init(&forked, 0, 0);
  pthread_t keeper = start(keep);
  sem_wait(&taken);
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&mutex);
    _exit(0);
  }
  sem_post(&forked);
  join(keeper);
  pthread_mutex_lock(&mutex);
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  printf("parent done, child %d\n", WEXITSTATUS(status));
}
