// Operation: a call of the program that synchronizes, or that may block.
//
// Every interceptor is one pair: before(op) when the program calls, after(op, ...) when the real function has
// done its work. Clients of the pair: the recorder (operation.cpp). An interceptor knows nothing about them.
#pragma once

#include <cstdint>

#include "runtime/recorder.h"

namespace ravel::rt {

// X(name, what it does)
#define RAVEL_OPERATIONS(X)                                                         \
  X(Lock, "takes `object` for itself; may block")                                   \
  X(TryLock, "the same, but never blocks")                                          \
  X(LockShared, "takes `object` as one of many; may block")                         \
  X(TryLockShared, "the same, but never blocks")                                    \
  X(Unlock, "gives `object` back")                                                  \
  X(UnlockShared, "gives `object` back as one of many")                             \
  X(Wait, "gives `lock` back, waits on the condition `object`, takes `lock` again") \
  X(NotifyOne, "wakes one waiter of the condition `object`")                        \
  X(NotifyAll, "wakes all waiters of the condition `object`")                       \
  X(BarrierWait, "waits at the barrier `object`")                                   \
  X(SemaphoreWait, "takes one from the semaphore `object`; may block")              \
  X(SemaphorePost, "gives one to the semaphore `object`")                           \
  X(Publish, "what the thread did so far is seen by whoever observes `object`")     \
  X(Contribute, "the same, beside what others have published through it")           \
  X(Observe, "sees what was published through `object`")                            \
  X(Create, "starts the thread whose index is `argument`")                          \
  X(Join, "waits for the end of the thread whose index is `argument`")              \
  X(Sleep, "lets time pass")                                                        \
  X(Yield, "lets others run")                                                       \
  X(Block, "a call that may block outside: input, output, waiting for a process or signal")

enum class OperationKind : std::uint8_t {
#define X(name, ...) name,
  RAVEL_OPERATIONS(X)
#undef X
};

struct Operation {
  OperationKind kind;
  const void* object = nullptr;
  const void* lock = nullptr;
  std::uint64_t argument = 0;
  Pc pc = 0;
};

/// The program is about to do it. Null-safe: `self` is null while nothing is recorded.
void before(Thread* self, const Operation& operation);
/// It is done; `succeeded`: the lock was taken, the wait ended, the thread was joined...
void after(Thread* self, const Operation& operation, bool succeeded = true);
/// A lock could not be had at once: the thread is going to block.
void request(Thread* self, const Operation& operation);

}  // namespace ravel::rt
