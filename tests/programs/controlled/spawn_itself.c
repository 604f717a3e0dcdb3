// vfork, posix_spawn, system and popen start processes while another thread runs; they see as many processors.
// STEPS: vary, because several processes run side by side.
// EXPECT: output 4 4 4 4
#include <spawn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>

#include "controlled.h"

extern char** environ;
static atomic_int done;

static void* spin(void* nothing) {
  while (!done) sched_yield();
  return nothing;
}

static int code(pid_t child) {
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

int main(int count, char** words) {
  char processors[20], command[5000], path[4096] = "";
  snprintf(processors, sizeof processors, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
  if (count > 1) return strcmp(words[1], processors) == 0 ? 4 : 5;
  CHECK(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
  snprintf(command, sizeof command, "'%s' %s", path, processors);
  char* arguments[] = {words[0], processors, NULL};
  pthread_t spinner = start(spin);
  pid_t child = vfork();
  if (child == 0) {
    execv(path, arguments);
    _exit(6);
  }
  printf("%d", code(child));
  CHECK(posix_spawn(&child, path, NULL, NULL, arguments, environ) == 0);
  printf(" %d", code(child));
  int status = system(command);
  printf(" %d", WEXITSTATUS(status));
  FILE* output = popen(command, "r");
  char line[10];
  CHECK(output != NULL && fgets(line, sizeof line, output) == NULL);
  status = pclose(output);
  printf(" %d\n", WEXITSTATUS(status));
  done = 1;
  join(spinner);
}
