// Two processes hand a number back and forth by a condition in shared memory; one wait ends by time.
// STEPS: vary, because two processes run side by side.
// EXPECT: output 20 timed out
#include <sys/mman.h>
#include <sys/wait.h>

#include "controlled.h"

struct Shared {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int value;
};
static struct Shared* shared;

static void take_turns(int mine) {
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&shared->mutex);
    while (shared->value % 2 != mine) pthread_cond_wait(&shared->condition, &shared->mutex);
    ++shared->value;
    pthread_cond_signal(&shared->condition);
    pthread_mutex_unlock(&shared->mutex);
  }
}

int main() {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t mutex;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &mutex);
  pthread_condattr_t condition;
  pthread_condattr_init(&condition);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&shared->condition, &condition);
  pid_t child = fork();
  take_turns(child == 0);
  if (child == 0) _exit(0);
  CHECK(waitpid(child, NULL, 0) == child);
  pthread_mutex_lock(&shared->mutex);
  struct timespec until = in_seconds(CLOCK_REALTIME, 0);
  if (until.tv_nsec < 900000000)
    until.tv_nsec += 50000000;
  else
    ++until.tv_sec;
  const int result = pthread_cond_timedwait(&shared->condition, &shared->mutex, &until);
  pthread_mutex_unlock(&shared->mutex);
  printf("%d %s\n", shared->value, result == ETIMEDOUT ? "timed out" : "woken");
}
