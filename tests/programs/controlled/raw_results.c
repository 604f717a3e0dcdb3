// System calls by hand have the results that they have without ravel, and leave errno and the registers alone.
// PLAIN: plain/raw_calls.c
// EXPECT: output all
#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "controlled.h"
#include "plain/raw_calls.h"

#define CALL(number, a, b, c) raw_call(number, (long)(a), (long)(b), (long)(c), 0, 0, 0)

static void* others(void* nothing) {
  for (int i = 0; i < 5; ++i) CHECK(raw_call_keeps_registers());
  return nothing;
}

int main() {
  const pthread_t thread = start(others);
  for (int i = 0; i < 5; ++i) CHECK(raw_call_keeps_registers());
  join(thread);

  errno = 77;
  char text[4] = "";
  int ends[2];
  CHECK(CALL(SYS_getpid, 0, 0, 0) == getpid());
  CHECK(CALL(SYS_read, -1, text, 1) == -EBADF);
  CHECK(CALL(SYS_futex, &ends, 0, ends[0] + 1) == -EAGAIN);
  CHECK(CALL(SYS_pipe, ends, 0, 0) == 0);
  CHECK(CALL(SYS_write, ends[1], "abc", 3) == 3);
  CHECK(CALL(SYS_read, ends[0], text, 3) == 3 && text[2] == 'c');
  CHECK(errno == 77);

  struct timespec before, after;
  CALL(SYS_clock_gettime, CLOCK_MONOTONIC, &before, 0);
  clock_gettime(CLOCK_MONOTONIC, &after);
  CHECK(after.tv_sec - before.tv_sec < 2);
  CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after) == 0);

  const long child = CALL(SYS_fork, 0, 0, 0);
  if (child == 0) CALL(SYS_exit_group, 3, 0, 0);
  int status = 0;
  CHECK(CALL(SYS_wait4, child, &status, 0) == child && WEXITSTATUS(status) == 3);
  puts("all");
}
