// Futexes that are not said to be private, within one process and between two.
// STEPS: vary, because two processes run side by side.
// EXPECT: output 1 1
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "futex.h"

static _Atomic uint32_t here;

static void await(_Atomic uint32_t* word) {
  while (*word == 0) futex((uint32_t*)word, FUTEX_WAIT, 0, NULL, NULL, 0);
}
static void* wait_here(void* nothing) {
  await(&here);
  return nothing;
}

int main() {
  pthread_t thread = start(wait_here);
  for (int i = 0; i < 5; ++i) sched_yield();
  here = 1;
  const long woken = futex((uint32_t*)&here, FUTEX_WAKE, 1, NULL, NULL, 0);
  CHECK(woken == 0 || woken == 1);
  join(thread);
  _Atomic uint32_t* both = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (fork() == 0) {
    usleep(1000);
    *both = 1;
    futex((uint32_t*)both, FUTEX_WAKE, 1, NULL, NULL, 0);
    _exit(0);
  }
  await(both);
  CHECK(wait(NULL) > 0);
  printf("%u %u\n", here, *both);
}
