// A thread forks while others wait for a lock, a condition and time: the child has none of them.
// EXPECT: output 7
#include <semaphore.h>
#include <sys/wait.h>

#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;

static void* sleep_long(void* nothing) {
  sleep(1000);
  return nothing;
}
static void* wait_for_post(void* nothing) {
  sem_wait(&never);
  return nothing;
}
static void* take(void* nothing) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return nothing;
}

int main() {
  sem_init(&never, 0, 0);
  pthread_mutex_lock(&mutex);
  pthread_t threads[] = {start(sleep_long), start(wait_for_post), start(take)};
  sched_yield();
  sched_yield();
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_unlock(&mutex);
    join(start(take));
    sem_post(&never);
    CHECK(sem_wait(&never) == 0);
    _exit(7);
  }
  pthread_mutex_unlock(&mutex);
  sem_post(&never);
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  for (int i = 0; i < 3; ++i) join(threads[i]);
  printf("%d\n", WEXITSTATUS(status));
}
