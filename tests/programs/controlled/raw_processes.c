// Children that make system calls by hand, and programs that ravel has not compiled, started in every way.
// PLAIN: plain/raw_calls.c
// STEPS: vary, because when children end is their own business.
// EXPECT: output 5
#include <spawn.h>
#include <sys/wait.h>

#include "controlled.h"
#include "plain/raw_calls.h"

extern char** environ;

static char* words[] = {"true", NULL};
static int word, good;

static void* wake(void* nothing) {
  __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
  raw_wake(&word, 1);
  return nothing;
}
static void wait_for_thread() {
  const pthread_t waker = start(wake);
  while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0) raw_wait(&word, 0);
  join(waker);
}

static void await(pid_t child) {
  int status = 0;
  if (child > 0 && waitpid(child, &status, 0) == child && status == 0) ++good;
}

int main() {
  pid_t child = fork();
  if (child == 0) {
    wait_for_thread();
    _exit(0);
  }
  await(child);
  child = fork();
  if (child == 0) {
    execv("/bin/true", words);
    _exit(1);
  }
  await(child);
  child = vfork();
  if (child == 0) {
    execv("/bin/true", words);
    _exit(1);
  }
  await(child);
  if (posix_spawn(&child, "/bin/true", NULL, NULL, words, environ) == 0) await(child);
  wait_for_thread();
  if (system("true") == 0) ++good;
  printf("%d\n", good);
}
