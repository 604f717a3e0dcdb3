// What a thread may be about to do when it can be held up: the points at which a run of one thread at a time
// may go over to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace ravel {

// X(name, text, what it does)
#define RAVEL_OPERATIONS(X)                                                                 \
  X(Lock, "lock", "takes `object` for itself; may block")                                   \
  X(TryLock, "trylock", "the same, but never blocks")                                       \
  X(LockShared, "rdlock", "takes `object` as one of many; may block")                       \
  X(TryLockShared, "tryrdlock", "the same, but never blocks")                               \
  X(Unlock, "unlock", "gives `object` back")                                                \
  X(UnlockShared, "rdunlock", "gives `object` back as one of many")                         \
  X(Wait, "wait", "gives `lock` back, waits on the condition `object`, takes `lock` again") \
  X(NotifyOne, "notify", "wakes one waiter of the condition `object`")                      \
  X(NotifyAll, "notifyall", "wakes all waiters of the condition `object`")                  \
  X(BarrierWait, "barrier", "waits at the barrier `object`")                                \
  X(SemaphoreWait, "semwait", "takes one from the semaphore `object`; may block")           \
  X(SemaphorePost, "sempost", "gives one to the semaphore `object`")                        \
  X(Publish, "publish", "what the thread did so far is seen by whoever observes `object`")  \
  X(Contribute, "contribute", "the same, beside what others have published through it")     \
  X(Observe, "observe", "sees what was published through `object`")                         \
  X(Create, "create", "starts the thread whose index is `argument`")                        \
  X(Join, "join", "waits for the end of the thread whose index is `argument`")              \
  X(FutexWait, "futexwait", "waits at the address `object`")                                \
  X(FutexWake, "futexwake", "wakes waiters at the address `object`")                        \
  X(Sleep, "sleep", "lets time pass")                                                       \
  X(Yield, "yield", "lets others run")                                                      \
  X(Block, "io", "a call that may block outside: input, output, a process or signal")       \
  X(Read, "read", "reads memory")                                                           \
  X(Write, "write", "writes memory")                                                        \
  X(Atomic, "atomic", "an atomic operation or a fence")                                     \
  X(Start, "start", "begins to run")                                                        \
  X(Exit, "exit", "ends")

enum class OperationKind : std::uint8_t {
#define X(name, ...) name,
  RAVEL_OPERATIONS(X)
#undef X
};

inline constexpr std::string_view kOperationTexts[] = {
#define X(name, text, ...) text,
    RAVEL_OPERATIONS(X)
#undef X
};
inline constexpr std::size_t kOperationKinds = std::size(kOperationTexts);

constexpr std::string_view operation_text(OperationKind kind) {
  return kOperationTexts[static_cast<std::size_t>(kind)];
}

/// So many steps in a row in which no thread changes what another one could look at: it is a livelock.
inline constexpr std::uint64_t kLivelockSteps = 100'000;

/// Whether doing it again and again means to wait for somebody else.
constexpr bool lets_others_run(OperationKind kind) {
  return kind == OperationKind::Yield || kind == OperationKind::Sleep;
}

/// Whether it is a step only while it is under way: a library makes such calls or not, as threads meet, so
/// what comes behind has the same number in either case.
constexpr bool is_passing(OperationKind kind) {
  return kind == OperationKind::FutexWait || kind == OperationKind::FutexWake;
}

}  // namespace ravel
