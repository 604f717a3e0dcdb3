// select with and without a timeout.
// EXPECT: output ready
// EXPECT: output nobody
// EXPECT: each within 100 seeds
#include <sys/select.h>
#include <sys/time.h>

#include "controlled.h"

static int ends[2];

static void* write_it(void* nothing) {
  CHECK(write(ends[1], "x", 1) == 1);
  return nothing;
}

int main() {
  CHECK(pipe(ends) == 0);
  pthread_t thread = start(write_it);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  struct timeval patience = {1000, 0};
  const int found = select(ends[0] + 1, &set, NULL, NULL, &patience);
  puts(found == 1 ? "ready" : "nobody");
  FD_SET(ends[0], &set);
  CHECK(select(ends[0] + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(ends[0], &set));
  FD_SET(ends[0], &set);
  const struct timespec none = {0, 0};
  CHECK(pselect(ends[0] + 1, &set, NULL, NULL, &none, NULL) == 1);
  join(thread);
}
