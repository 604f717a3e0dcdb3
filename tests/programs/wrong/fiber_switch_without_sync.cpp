// Fibers announced to the sanitizer: a switch that is declared to order nothing.
// EXPECT: race on shared
#include <sanitizer/tsan_interface.h>

int shared;

[[gnu::noinline]] void touch() { ++shared; }

int main() {
  void* const thread = __tsan_get_current_fiber();
  void* const fiber = __tsan_create_fiber(0);
  touch();
  __tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync);
  touch();
  __tsan_switch_to_fiber(thread, __tsan_switch_to_fiber_no_sync);
  __tsan_destroy_fiber(fiber);
}
