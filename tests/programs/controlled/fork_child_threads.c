// A child has threads of its own, and so has its parent meanwhile.
// EXPECT: output 20 20
#include <sys/wait.h>

#include "controlled.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void* work(void* nothing) {
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&mutex);
    const int seen = total;
    sched_yield();
    total = seen + 1;
    pthread_mutex_unlock(&mutex);
  }
  return nothing;
}

static int run() {
  pthread_t threads[] = {start(work), start(work)};
  join(threads[0]);
  join(threads[1]);
  return total;
}

int main() {
  pid_t child = fork();
  if (child == 0) _exit(run());
  const int mine = run();
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  printf("%d %d\n", mine, WEXITSTATUS(status));
}
