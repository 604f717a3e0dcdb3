// A socket's own timeout ends a read that nobody answers.
// TIMEOUT: 10
// EXPECT: output gave up
#include <sys/socket.h>
#include <sys/time.h>

#include "controlled.h"

static int ends[2];

static void* spin(void* nothing) {
  for (int i = 0; i < 100; ++i) sched_yield();
  return nothing;
}

int main() {
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  struct timeval patience = {100, 0};
  CHECK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
  pthread_t thread = start(spin);
  const struct timespec begin = in_seconds(CLOCK_MONOTONIC, 0);
  char byte;
  CHECK(read(ends[0], &byte, 1) == -1 && errno == EAGAIN);
  CHECK(in_seconds(CLOCK_MONOTONIC, 0).tv_sec >= begin.tv_sec + 100);
  join(thread);
  puts("gave up");
}
