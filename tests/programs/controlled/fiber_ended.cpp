// The first thread ends the program after the fiber that did its last step is gone.
// EXPECT: output done
#include <sanitizer/tsan_interface.h>
#include <ucontext.h>

#include <atomic>
#include <thread>

#include "controlled.h"

static ucontext_t outside, inside;
static void* thread_itself;
alignas(16) static char stack[64 * 1024];
static std::atomic<int> stage;

static void run() {
  stage = 1;
  while (stage == 1) {
  }
  __tsan_switch_to_fiber(thread_itself, 0);
  swapcontext(&inside, &outside);
}

int main() {
  std::thread other([] {
    while (stage == 0) {
    }
    stage = 2;
  });
  thread_itself = __tsan_get_current_fiber();
  void* const fiber = __tsan_create_fiber(0);
  getcontext(&inside);
  inside.uc_stack = {.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
  inside.uc_link = nullptr;
  makecontext(&inside, run, 0);
  __tsan_switch_to_fiber(fiber, 0);
  swapcontext(&outside, &inside);
  other.join();
  __tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync);
  stage = 3;
  __tsan_switch_to_fiber(thread_itself, __tsan_switch_to_fiber_no_sync);
  __tsan_destroy_fiber(fiber);
  puts("done");
  return 0;
}
