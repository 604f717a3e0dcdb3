// sanitizer/tsan_interface.h. Fibers are in fiber.cpp, atomics in hooks_atomic.cpp.
#include "runtime/annotations.h"
#include "runtime/intercept.h"

namespace ravel::rt {
namespace {

// Flags of the header.
constexpr unsigned kReadLock = 1 << 3;
constexpr unsigned kTryLock = 1 << 4;
constexpr unsigned kTryLockFailed = 1 << 5;
constexpr unsigned kRecursiveUnlock = 1 << 7;

/// How often the one thread that has it has locked a re-entrant mutex of the program's own making.
struct Reentrant {
  const void* mutex;
  int depth;
};
constexpr std::uint32_t kReentrants = 1 << 12;
constinit Reentrant reentrants[kReentrants];
constinit SpinLock counting;

/// Changes the depth of a mutex and returns the new one; `all` of it goes, if asked to. When the table is
/// full, the mutex is taken for one that is locked once.
int change_depth(Thread& self, const void* mutex, int change, bool all, int& before_it) {
  const Inside inside(self);
  const Locked lock(counting);
  std::uint64_t at = reinterpret_cast<std::uintptr_t>(mutex) * 0x9e3779b97f4a7c15ULL >> 52;
  for (std::uint32_t tries = 0; tries < kReentrants; ++tries, ++at) {
    Reentrant& entry = reentrants[at & (kReentrants - 1)];
    if (entry.mutex != mutex && entry.mutex != nullptr) continue;
    entry.mutex = mutex;
    before_it = entry.depth;
    entry.depth = all ? 0 : entry.depth + change;
    if (entry.depth < 0) entry.depth = 0;
    return entry.depth;
  }
  before_it = change > 0 ? 0 : 1;
  return change > 0 ? 1 : 0;
}

// What a mutex does inside itself is its own business: between the calls around an operation nothing is
// recorded.
void enter_mutex(Thread* self) {
  ignore_accesses(self, true);
  ignore_synchronization(self, true);
}
void leave_mutex(Thread* self) {
  ignore_synchronization(self, false);
  ignore_accesses(self, false);
}

Operation lock_operation(const void* mutex, unsigned flags, Pc pc) {
  const bool tries = (flags & kTryLock) != 0;
  const OperationKind kind = (flags & kReadLock) != 0
                                 ? (tries ? OperationKind::TryLockShared : OperationKind::LockShared)
                                 : (tries ? OperationKind::TryLock : OperationKind::Lock);
  return {.kind = kind, .object = mutex, .pc = pc};
}

void act(OperationKind kind, const void* object, Pc pc) {
  Thread* const self = acting_thread();
  if (self == nullptr) return;
  const Operation operation{.kind = kind, .object = object, .pc = pc};
  before(self, operation);
  after(self, operation);
}

/// The flags of a mutex are given when it is made; its other calls need not repeat them, but may.
bool counts(unsigned flags) { return (flags & kReadLock) == 0; }

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERFACE void __tsan_acquire(void* object) { act(OperationKind::Observe, object, RAVEL_CALLER); }
RAVEL_INTERFACE void __tsan_release(void* object) { act(OperationKind::Contribute, object, RAVEL_CALLER); }

RAVEL_INTERFACE void __tsan_mutex_create(void* /*mutex*/, unsigned /*flags*/) {}
RAVEL_INTERFACE void __tsan_mutex_destroy(void* /*mutex*/, unsigned /*flags*/) {}

RAVEL_INTERFACE void __tsan_mutex_pre_lock(void* mutex, unsigned flags) {
  if (Thread* const self = acting_thread(); self != nullptr)
    before(self, lock_operation(mutex, flags, RAVEL_CALLER));
  enter_mutex(this_thread);
}
RAVEL_INTERFACE void __tsan_mutex_post_lock(void* mutex, unsigned flags, int recursion) {
  leave_mutex(this_thread);
  Thread* const self = acting_thread();
  if (self == nullptr) return;
  bool taken = (flags & kTryLockFailed) == 0;
  if (taken && counts(flags)) {
    int depth = 0;
    change_depth(*self, mutex, recursion > 0 ? recursion : 1, false, depth);
    taken = depth == 0;
  }
  after(self, lock_operation(mutex, flags, RAVEL_CALLER), taken);
}
RAVEL_INTERFACE int __tsan_mutex_pre_unlock(void* mutex, unsigned flags) {
  int depth = 0;
  if (Thread* const self = acting_thread(); self != nullptr) {
    const bool shared = (flags & kReadLock) != 0;
    const bool last = shared || change_depth(*self, mutex, -1, (flags & kRecursiveUnlock) != 0, depth) == 0;
    if (last)
      before(self, {.kind = shared ? OperationKind::UnlockShared : OperationKind::Unlock,
                    .object = mutex,
                    .pc = RAVEL_CALLER});
  }
  enter_mutex(this_thread);
  return (flags & kRecursiveUnlock) != 0 ? depth : 0;
}
RAVEL_INTERFACE void __tsan_mutex_post_unlock(void* /*mutex*/, unsigned /*flags*/) {
  leave_mutex(this_thread);
}
RAVEL_INTERFACE void __tsan_mutex_pre_signal(void* /*object*/, unsigned /*flags*/) {
  enter_mutex(this_thread);
}
RAVEL_INTERFACE void __tsan_mutex_post_signal(void* /*object*/, unsigned /*flags*/) {
  leave_mutex(this_thread);
}
RAVEL_INTERFACE void __tsan_mutex_pre_divert(void* /*mutex*/, unsigned /*flags*/) {
  leave_mutex(this_thread);
}
RAVEL_INTERFACE void __tsan_mutex_post_divert(void* /*mutex*/, unsigned /*flags*/) {
  enter_mutex(this_thread);
}
/// The trace says which are held.
RAVEL_INTERFACE void __tsan_check_no_mutexes_held() {}

// Objects of a library that tells of its accesses itself.
RAVEL_INTERFACE void* __tsan_external_register_tag(const char* /*object_type*/) {
  static constinit std::uintptr_t tags = 0;
  return reinterpret_cast<void*>(__atomic_add_fetch(&tags, 1, __ATOMIC_RELAXED));
}
RAVEL_INTERFACE void __tsan_external_register_header(void* /*tag*/, const char* /*header*/) {}
RAVEL_INTERFACE void __tsan_external_assign_tag(void* /*object*/, void* /*tag*/) {}
RAVEL_INTERFACE void __tsan_external_read(void* object, void* caller, void* /*tag*/) {
  touch(hot_thread, object, 1, kReadWord, reinterpret_cast<Pc>(caller));
}
RAVEL_INTERFACE void __tsan_external_write(void* object, void* caller, void* /*tag*/) {
  touch(hot_thread, object, 1, kWriteWord, reinterpret_cast<Pc>(caller));
}

RAVEL_INTERFACE void __tsan_flush_memory() {}

// Reports are made from the trace, so there is none while the program runs.
RAVEL_INTERFACE void* __tsan_get_current_report() { return nullptr; }
#define RAVEL_NO_REPORT(name) \
  RAVEL_INTERFACE int name(void* /*report*/, ...) { return 0; }
RAVEL_NO_REPORT(__tsan_get_report_data)
RAVEL_NO_REPORT(__tsan_get_report_tag)
RAVEL_NO_REPORT(__tsan_get_report_stack)
RAVEL_NO_REPORT(__tsan_get_report_mop)
RAVEL_NO_REPORT(__tsan_get_report_loc)
RAVEL_NO_REPORT(__tsan_get_report_loc_object_type)
RAVEL_NO_REPORT(__tsan_get_report_mutex)
RAVEL_NO_REPORT(__tsan_get_report_thread)
RAVEL_NO_REPORT(__tsan_get_report_unique_tid)
