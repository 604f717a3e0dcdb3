#include "runtime/operation.h"

#include "runtime/access.h"
#include "runtime/token.h"

namespace ravel::rt {
namespace {

std::uint64_t target(const void* object) { return reinterpret_cast<std::uint64_t>(object); }

// Semaphores, once flags and the like order threads without being locks: they are recorded as atomic
// operations on one byte of the object.
void record_atomic(Thread& self, EventKind kind, MemoryOrder order, const Operation& operation) {
  const bool loads = kind == EventKind::AtomicLoad;
  enter_atomic_range(self, target(operation.object), 1, loads ? kReadWord : kWriteWord, operation.pc, true);
  record_sync(
      self,
      {.kind = kind, .order = order, .target = target(operation.object), .width = 1, .pc = operation.pc});
}

void record_acquire(Thread& self, EventKind kind, const Operation& operation) {
  const bool waits = (operation.kind == OperationKind::Lock || operation.kind == OperationKind::LockShared) &&
                     !operation.limited;
  record_sync(self, {.kind = kind,
                     .order = waits ? MemoryOrder::None : kTried,
                     .target = target(operation.object),
                     .pc = operation.pc});
}

void record(Thread& self, EventKind kind, const void* object, Pc pc) {
  record_sync(self, {.kind = kind, .target = target(object), .pc = pc});
}

bool is_recorded(const Thread* self) {
  return self != nullptr && recorder.recording && self->ignoring_sync == 0;
}

void record_before(Thread* self, const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::Unlock:
      return record(*self, EventKind::Release, operation.object, operation.pc);
    case OperationKind::UnlockShared:
      return record(*self, EventKind::ReleaseShared, operation.object, operation.pc);
    case OperationKind::Wait:
      record(*self, EventKind::WaitBegin, operation.object, operation.pc);
      return record(*self, EventKind::Release, operation.lock, operation.pc);
    case OperationKind::NotifyOne:
      return record(*self, EventKind::Notify, operation.object, operation.pc);
    case OperationKind::NotifyAll:
      return record(*self, EventKind::NotifyAll, operation.object, operation.pc);
    case OperationKind::BarrierWait:
      return record(*self, EventKind::BarrierEnter, operation.object, operation.pc);
    case OperationKind::SemaphorePost:
    case OperationKind::Contribute:
      return record_atomic(*self, EventKind::AtomicRmw, MemoryOrder::Release, operation);
    case OperationKind::Publish:
      return record_atomic(*self, EventKind::AtomicStore, MemoryOrder::Release, operation);
    case OperationKind::Create:
      return record_sync(*self, {.kind = EventKind::Fork, .target = operation.argument, .pc = operation.pc});
    case OperationKind::Lock:
    case OperationKind::TryLock:
    case OperationKind::LockShared:
    case OperationKind::TryLockShared:
    case OperationKind::SemaphoreWait:
    case OperationKind::Observe:
    case OperationKind::Join:
    case OperationKind::FutexWait:
    case OperationKind::FutexWake:
    case OperationKind::Sleep:
    case OperationKind::Yield:
    case OperationKind::Block:
    case OperationKind::Read:
    case OperationKind::Write:
    case OperationKind::Atomic:
    case OperationKind::Start:
    case OperationKind::Exit:
      return;
  }
}

void record_after(Thread* self, const Operation& operation, bool succeeded) {
  switch (operation.kind) {
    case OperationKind::Lock:
    case OperationKind::TryLock:
      if (succeeded) record_acquire(*self, EventKind::Acquire, operation);
      return;
    case OperationKind::LockShared:
    case OperationKind::TryLockShared:
      if (succeeded) record_acquire(*self, EventKind::AcquireShared, operation);
      return;
    case OperationKind::Wait:
      // The lock is taken again whether the wait ended by a signal or by time.
      record(*self, EventKind::Acquire, operation.lock, operation.pc);
      return record(*self, EventKind::WaitEnd, operation.object, operation.pc);
    case OperationKind::BarrierWait:
      return record(*self, EventKind::BarrierExit, operation.object, operation.pc);
    case OperationKind::SemaphoreWait:
      if (succeeded) record_atomic(*self, EventKind::AtomicRmw, MemoryOrder::Acquire, operation);
      return;
    case OperationKind::Observe:
      return record_atomic(*self, EventKind::AtomicLoad, MemoryOrder::Acquire, operation);
    case OperationKind::Join:
      if (succeeded)
        record_sync(*self, {.kind = EventKind::Join, .target = operation.argument, .pc = operation.pc});
      return;
    case OperationKind::Unlock:
    case OperationKind::UnlockShared:
    case OperationKind::NotifyOne:
    case OperationKind::NotifyAll:
    case OperationKind::SemaphorePost:
    case OperationKind::Publish:
    case OperationKind::Contribute:
    case OperationKind::Create:
    case OperationKind::FutexWait:
    case OperationKind::FutexWake:
    case OperationKind::Sleep:
    case OperationKind::Yield:
    case OperationKind::Block:
    case OperationKind::Read:
    case OperationKind::Write:
    case OperationKind::Atomic:
    case OperationKind::Start:
    case OperationKind::Exit:
      return;
  }
}

/// What the token must know before the real function runs.
void control_before(const Operation& operation) {
  reach(operation);
  if (operation.kind == OperationKind::Wait) let_go(operation.lock);
  if (operation.kind == OperationKind::Block) go_outside();
}

void control_after(const Operation& operation, bool succeeded) {
  switch (operation.kind) {
    case OperationKind::Lock:
    case OperationKind::TryLock:
    case OperationKind::LockShared:
    case OperationKind::TryLockShared:
      if (succeeded) hold(operation.object, operation.pc);
      return;
    case OperationKind::Unlock:
    case OperationKind::UnlockShared:
      let_go(operation.object);
      return wake_all(operation.object);
    case OperationKind::SemaphorePost:
      return wake_all(operation.object);
    case OperationKind::Wait:
      return hold(operation.lock, operation.pc);
    case OperationKind::NotifyOne:
      return wake_chosen(operation.object);
    case OperationKind::NotifyAll:
      return wake_all(operation.object);
    case OperationKind::Block:
      return come_back();
    default:  // the interceptor itself has waited, and nobody waits for what it did
      return;
  }
}

}  // namespace

void before(Thread* self, const Operation& operation) {
  if (controlled && self != nullptr) control_before(operation);
  if (is_recorded(self)) record_before(self, operation);
}

void request(Thread* self, const Operation& operation) {
  if (is_recorded(self) && !operation.limited)
    record(*self, EventKind::Request, operation.object, operation.pc);
}

void after(Thread* self, const Operation& operation, bool succeeded) {
  if (is_recorded(self)) record_after(self, operation, succeeded);
  if (controlled && self != nullptr) control_after(operation, succeeded);
}

}  // namespace ravel::rt
