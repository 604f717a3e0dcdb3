// A block that does not fit into the pipe: the writer waits in the middle of it.
// EXPECT: output 200000
#include "controlled.h"

static int ends[2];
static char block[200000];

static void* write_block(void* nothing) {
  CHECK(write(ends[1], block, sizeof block) == sizeof block);
  close(ends[1]);
  return nothing;
}

int main() {
  for (unsigned i = 0; i < sizeof block; ++i) block[i] = (char)(i % 100);
  CHECK(pipe(ends) == 0);
  pthread_t writer = start(write_block);
  long total = 0;
  char some[5000];
  for (long got; (got = read(ends[0], some, sizeof some)) > 0; total += got)
    for (long i = 0; i < got; ++i) CHECK(some[i] == (total + i) % 100);
  join(writer);
  printf("%ld\n", total);
}
