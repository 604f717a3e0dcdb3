// Processes take turns by a mutex in shared memory.
// STEPS: vary, because several processes run side by side.
// EXPECT: output 30
#include <sys/mman.h>
#include <sys/wait.h>

#include "controlled.h"

struct Shared {
  pthread_mutex_t mutex;
  volatile int owners, total;
};
static struct Shared* shared;

static void* work(void* nothing) {
  for (int i = 0; i < 5; ++i) {
    pthread_mutex_lock(&shared->mutex);
    CHECK(++shared->owners == 1);
    usleep(100);
    ++shared->total;
    --shared->owners;
    pthread_mutex_unlock(&shared->mutex);
  }
  return nothing;
}

int main() {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &attributes);
  for (int i = 0; i < 2; ++i) {
    if (fork() != 0) continue;
    pthread_t threads[] = {start(work), start(work)};
    join(threads[0]);
    join(threads[1]);
    _exit(0);
  }
  work(work(NULL));
  int status;
  while (wait(&status) > 0) CHECK(status == 0);
  printf("%d\n", shared->total);
}
