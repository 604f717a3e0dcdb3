// poll without a timeout finds whichever pipe another thread writes to; with one it may give up first.
// EXPECT: output first
// EXPECT: output second
// EXPECT: output nobody
// EXPECT: each within 100 seeds
#include <poll.h>

#include "controlled.h"

static int pipes[2][2];

static void* write_to(void* second) {
  CHECK(write(pipes[second != NULL][1], "x", 1) == 1);
  return NULL;
}

int main() {
  CHECK(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, write_to, NULL);
  pthread_create(&threads[1], NULL, write_to, pipes);
  struct pollfd set[] = {{pipes[0][0], POLLIN, 0}, {pipes[1][0], POLLIN, 0}};
  const int found = poll(set, 2, 1000000);
  puts(found == 0 ? "nobody" : set[0].revents != 0 ? "first" : "second");
  char byte;
  for (int left = 2; left > 0; --left) {
    CHECK(poll(set, 2, -1) > 0);
    CHECK(read(set[0].revents != 0 ? pipes[0][0] : pipes[1][0], &byte, 1) == 1);
  }
  CHECK(poll(set, 2, 0) == 0 && poll(NULL, 0, 3600 * 1000) == 0);
  join(threads[0]);
  join(threads[1]);
}
