// A pipe that is full: small writes wait until somebody reads.
// EXPECT: output 2000
#include "controlled.h"

static int ends[2];

static void* write_much(void* nothing) {
  static const char block[100];
  for (int i = 0; i < 2000; ++i) CHECK(write(ends[1], block, sizeof block) == sizeof block);
  return nothing;
}

int main() {
  CHECK(pipe(ends) == 0);
  pthread_t writer = start(write_much);
  char block[100];
  int got = 0;
  while (got < 2000 && read(ends[0], block, sizeof block) == sizeof block) ++got;
  join(writer);
  printf("%d\n", got);
}
