// An eventfd counts for a thread that reads it and one that polls it.
// EXPECT: output 10
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>

#include "controlled.h"

static int counter;

static void* add(void* nothing) {
  for (int i = 0; i < 5; ++i) CHECK(eventfd_write(counter, 1) == 0);
  const uint64_t five = 5;
  CHECK(write(counter, &five, sizeof five) == sizeof five);
  return nothing;
}

int main() {
  counter = eventfd(0, 0);
  pthread_t thread = start(add);
  uint64_t sum = 0, value = 0;
  while (sum < 10) {
    struct pollfd one = {counter, POLLIN, 0};
    if (sum % 2 == 0) CHECK(poll(&one, 1, -1) == 1);
    CHECK(read(counter, &value, sizeof value) == sizeof value);
    sum += value;
  }
  join(thread);
  printf("%d\n", (int)sum);
}
