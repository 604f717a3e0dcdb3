// epoll with and without a timeout; descriptors come to the set while a thread waits for it.
// EXPECT: output ready
// EXPECT: output nobody
// EXPECT: each within 100 seeds
#include <sys/epoll.h>

#include "controlled.h"

static int ends[2], set;

static void* write_it(void* nothing) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u32 = 7};
  CHECK(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
  sched_yield();
  CHECK(write(ends[1], "x", 1) == 1);
  return nothing;
}

int main() {
  set = epoll_create1(EPOLL_CLOEXEC);
  CHECK(set >= 0 && pipe(ends) == 0);
  pthread_t thread = start(write_it);
  struct epoll_event event;
  const int found = epoll_wait(set, &event, 1, 1000000);
  puts(found == 1 ? "ready" : "nobody");
  if (found == 0) CHECK(epoll_wait(set, &event, 1, -1) == 1);
  CHECK(event.data.u32 == 7);
  CHECK(epoll_wait(set, &event, 1, 0) == 0 && epoll_wait(set, &event, 1, 1000) == 0);
  join(thread);
}
