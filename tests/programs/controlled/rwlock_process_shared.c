// A reader-writer lock in shared memory, waited for by two threads of the child.
// STEPS: vary, because two processes run side by side.
// EXPECT: output 12
#include <sys/mman.h>
#include <sys/wait.h>

#include "controlled.h"

struct Shared {
  pthread_rwlock_t lock;
  int value;
};
static struct Shared* shared;

static void* work(void* nothing) {
  for (int i = 0; i < 4; ++i) {
    pthread_rwlock_wrlock(&shared->lock);
    int seen = shared->value;
    usleep(10);
    shared->value = seen + 1;
    pthread_rwlock_unlock(&shared->lock);
    pthread_rwlock_rdlock(&shared->lock);
    pthread_rwlock_unlock(&shared->lock);
  }
  return nothing;
}

int main() {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_rwlock_init(&shared->lock, &attributes);
  pid_t child = fork();
  if (child == 0) {
    pthread_t other = start(work);
    work(NULL);
    join(other);
    _exit(0);
  }
  work(NULL);
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  printf("%d\n", shared->value);
}
