// A thread reads from a pipe what another writes, until it is closed.
// EXPECT: output 55
#include "controlled.h"

static int ends[2];

static void* write_numbers(void* nothing) {
  for (char i = 1; i <= 10; ++i) {
    sched_yield();
    CHECK(write(ends[1], &i, 1) == 1);
  }
  close(ends[1]);
  return nothing;
}

int main() {
  CHECK(pipe(ends) == 0);
  pthread_t writer = start(write_numbers);
  int sum = 0;
  char number;
  while (read(ends[0], &number, 1) == 1) sum += number;
  join(writer);
  printf("%d\n", sum);
}
