// A process becomes another, which has threads, sees as many processors, and ends with its code.
// EXPECT: output 4
#include <string.h>
#include <sys/wait.h>

#include "controlled.h"

static void* work(void* nothing) {
  sleep(1);
  return nothing;
}

int main(int count, char** words) {
  char processors[20];
  snprintf(processors, sizeof processors, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
  if (count > 1) {
    pthread_t threads[] = {start(work), start(work)};
    join(threads[0]);
    join(threads[1]);
    return strcmp(words[1], processors) == 0 ? 4 : 5;
  }
  join(start(work));
  CHECK(execl("/nowhere", "nobody", NULL) == -1 && errno == ENOENT);
  join(start(work));
  pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", words[0], processors, NULL);
    _exit(6);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  printf("%d\n", WEXITSTATUS(status));
}
