#include "runtime/fiber.h"

#include "runtime/intercept.h"

namespace ravel::rt {
namespace {

/// The state of the system's thread while a fiber runs on it.
__thread Thread* own_state __attribute__((tls_model("initial-exec"))) = nullptr;

// What fibers are when nothing is recorded: the program may compare them, not look into them.
__thread char unrecorded_thread __attribute__((tls_model("initial-exec"))) = 0;
constinit char unrecorded_fiber = 0;

constexpr unsigned kNoSync = 1;  // __tsan_switch_to_fiber_no_sync

bool is_recorded(const void* fiber) { return fiber != &unrecorded_thread && fiber != &unrecorded_fiber; }

void become(Thread* next) {
  if (own_state == nullptr) own_state = this_thread;
  this_thread = next;
  switch_hooks(*next);
}

}  // namespace

void leave_fibers() {
  if (own_state != nullptr && own_state != this_thread) become(own_state);
}

}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERFACE void* __tsan_get_current_fiber() {
  Thread* const self = current_thread();
  return self != nullptr ? static_cast<void*>(self) : &unrecorded_thread;
}

RAVEL_INTERFACE void* __tsan_create_fiber(unsigned /*flags*/) {
  Thread* const self = acting_thread();
  if (self == nullptr) return &unrecorded_fiber;
  Thread* fiber = nullptr;
  {
    const Inside inside(*self);
    fiber = make_thread(self, false);
  }
  if (fiber == nullptr) return &unrecorded_fiber;
  const Operation operation{.kind = OperationKind::Create, .argument = fiber->index, .pc = RAVEL_CALLER};
  before(self, operation);
  after(self, operation);
  record_sync(*fiber, {.kind = ravel::EventKind::ThreadStart});
  return fiber;
}

RAVEL_INTERFACE void __tsan_destroy_fiber(void* fiber) {
  if (!is_recorded(fiber)) return;
  auto* const ended = static_cast<Thread*>(fiber);
  give_shared_reads(*ended);
  if (recorder.recording) record_sync(*ended, {.kind = ravel::EventKind::ThreadExit});
  end_order(*ended);
  ended->slot->ended.store(1, std::memory_order_release);
  release_memory(ended, ended->memory);
}

RAVEL_INTERFACE void __tsan_switch_to_fiber(void* fiber, unsigned flags) {
  if (!is_recorded(fiber) || this_thread == nullptr) return;
  auto* const next = static_cast<Thread*>(fiber);
  const bool synchronizes = (flags & kNoSync) == 0;
  const Pc pc = RAVEL_CALLER;
  if (synchronizes) before(this_thread, {.kind = OperationKind::Contribute, .object = next, .pc = pc});
  become(next);
  if (synchronizes) after(next, {.kind = OperationKind::Observe, .object = next, .pc = pc});
}

RAVEL_INTERFACE void __tsan_set_fiber_name(void* fiber, const char* name) {
  if (is_recorded(fiber)) name_thread(*static_cast<Thread*>(fiber)->slot, name);
}
