// What all interceptors share.
#pragma once

#include <signal.h>

#include "runtime/access.h"
#include "runtime/openmp.h"
#include "runtime/operation.h"
#include "runtime/real.h"
#include "runtime/signal.h"
#include "runtime/token.h"

namespace ravel::rt {

/// The calling thread, if what it does is to be recorded. Null: nothing is recorded, or the call is the
/// runtime's own. Hooks that are switched off (quiet) are no reason: synchronization counts all the same.
RAVEL_INLINE Thread* calling_thread() {
  Thread* self = this_thread;
  if (self == nullptr) {
    if (!recorder.recording) return nullptr;
    self = current_thread();
    if (self == nullptr) return nullptr;
  }
  if (self->inside != 0) return nullptr;
  if (!controlled && (self->ignoring_sync != 0 || !recorder.recording)) return nullptr;
  return self;
}

/// The same for an interceptor. It counts the hook, so ask it in free runs too: schedules name steps by these
/// counts.
RAVEL_INLINE Thread* acting_thread() {
  Thread* const self = calling_thread();
  if (self != nullptr) ++self->ordinal;
  return self;
}

/// The calling thread does this, as far as it is about one object.
inline void act(OperationKind kind, const volatile void* object, Pc pc) {
  Thread* const self = acting_thread();
  if (self == nullptr) return;
  const Operation operation{.kind = kind, .object = const_cast<const void*>(object), .pc = pc};
  before(self, operation);
  after(self, operation);
}

/// Waits by `wait()`, which returns a Waking, with the mask of signals that a call asks for (null: none). One
/// that only this mask lets in has come first if its handler has run.
template <typename Wait>
Waking wait_masked(const sigset_t* mask, Wait wait) {
  if (mask == nullptr) return wait();
  const std::uint32_t before = handlers_run();
  const std::uint64_t old = change_signal_mask(*reinterpret_cast<const std::uint64_t*>(mask));
  const Waking waking = handlers_run() != before ? Waking::Interrupted : wait();
  change_signal_mask(old);
  return waking;
}

/// As the kernel numbers the calling thread.
std::uint32_t own_thread_id();
/// In a forked child the number is another.
void forget_own_thread_id();

/// The program reads or writes a piece of memory through a function of a library.
RAVEL_INLINE void touch(Thread* self, const void* memory, std::size_t bytes, unsigned kind, Pc pc) {
  if (self == nullptr || bytes == 0 || self->inside != 0) return;
  if (is_openmp_code(pc)) return;
  ++self->ordinal;
  access_range(*self, reinterpret_cast<std::uintptr_t>(memory), bytes, kind, pc);
}

}  // namespace ravel::rt
