// Fibers on real stacks: a switch orders what was done before it.
// EXPECT: none
#include <sanitizer/tsan_interface.h>
#include <ucontext.h>

ucontext_t main_context;
ucontext_t fiber_context;
void* main_fiber;
void* worker_fiber;
alignas(16) char stack[64 * 1024];
int shared;

void work() {
  for (int i = 0; i < 3; ++i) {
    ++shared;
    __tsan_switch_to_fiber(main_fiber, 0);
    swapcontext(&fiber_context, &main_context);
  }
}

int main() {
  main_fiber = __tsan_get_current_fiber();
  worker_fiber = __tsan_create_fiber(0);
  __tsan_set_fiber_name(worker_fiber, "worker");
  getcontext(&fiber_context);
  fiber_context.uc_stack.ss_sp = stack;
  fiber_context.uc_stack.ss_size = sizeof stack;
  makecontext(&fiber_context, work, 0);
  for (int i = 0; i < 3; ++i) {
    ++shared;
    __tsan_switch_to_fiber(worker_fiber, 0);
    swapcontext(&main_context, &fiber_context);
  }
  __tsan_destroy_fiber(worker_fiber);
  return shared != 6;
}
