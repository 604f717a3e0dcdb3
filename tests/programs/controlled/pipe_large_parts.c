// A block in parts that does not fit into the pipe: the writer waits outside.
// STEPS: vary, because when it comes back is the kernel's business.
// EXPECT: output 300000
#include <sys/uio.h>

#include "controlled.h"

static int ends[2];
static char block[300000];

static void* write_block(void* nothing) {
  struct iovec parts[] = {{block, 150000}, {block + 150000, 150000}};
  CHECK(writev(ends[1], parts, 2) == sizeof block);
  close(ends[1]);
  return nothing;
}

int main() {
  CHECK(pipe(ends) == 0);
  pthread_t writer = start(write_block);
  long total = 0;
  char some[5000];
  for (long got; (got = read(ends[0], some, sizeof some)) > 0;) total += got;
  join(writer);
  printf("%ld\n", total);
}
