#include "runtime/futex_call.h"

#include <errno.h>
#include <linux/futex.h>

#include "runtime/run_time.h"

namespace ravel::rt {
namespace {

struct FutexCall {
  const std::uint32_t* address;
  long operation;
  std::uint32_t value;
  const timespec* timeout;  ///< or a number, for some
  const std::uint32_t* second;
  std::uint32_t third;

  long command() const { return operation & FUTEX_CMD_MASK; }
  bool is_private() const { return (operation & FUTEX_PRIVATE_FLAG) != 0; }
  std::uint32_t bits() const {
    return command() == FUTEX_WAIT_BITSET || command() == FUTEX_WAKE_BITSET ? third : FUTEX_BITSET_MATCH_ANY;
  }
  std::size_t limit() const { return reinterpret_cast<std::size_t>(timeout); }
};

long wait_virtually(const FutexCall& call, const Operation& operation) {
  if (call.timeout != nullptr && !is_time(call.timeout)) return -EINVAL;
  if (__atomic_load_n(call.address, __ATOMIC_SEQ_CST) != call.value) return -EAGAIN;
  std::uint64_t deadline = kNever;
  if (call.timeout != nullptr) {
    const clockid_t clock = (call.operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    deadline = call.command() == FUTEX_WAIT ? deadline_in(*call.timeout) : deadline_of(clock, call.timeout);
  }
  while (true) {
    switch (wait_for(
        operation,
        {.object = call.address, .deadline = deadline, .bits = call.bits(), .shared = !call.is_private()})) {
      case Waking::Woken:
        return 0;
      case Waking::TimedOut:
        return -ETIMEDOUT;
      case Waking::Interrupted:
        return -EINTR;
      case Waking::Restarted:
        if (__atomic_load_n(call.address, __ATOMIC_SEQ_CST) != call.value) return -EAGAIN;
    }
  }
}

/// Whether the call is one that the token can do, and what it returns. One that wakes may have to wake others
/// outside.
bool run_virtually(const FutexCall& call, Pc pc, long& result) {
  const OperationKind wakes = OperationKind::FutexWake;
  switch (call.command()) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET: {
      const Operation operation{.kind = OperationKind::FutexWait, .object = call.address, .pc = pc};
      reach(operation);
      result = wait_virtually(call, operation);
      return true;
    }
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      reach({.kind = wakes, .object = call.address, .pc = pc});
      result = static_cast<long>(wake_first(call.address, call.value, call.bits()));
      return call.is_private();
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE: {
      reach({.kind = wakes, .object = call.address, .pc = pc});
      if (call.command() == FUTEX_CMP_REQUEUE &&
          __atomic_load_n(call.address, __ATOMIC_SEQ_CST) != call.third) {
        result = -EAGAIN;
        return true;
      }
      const std::size_t woken = wake_first(call.address, call.value);
      const std::size_t moved = move_waiters(call.address, call.second, call.limit());
      result = static_cast<long>(call.command() == FUTEX_REQUEUE ? woken : woken + moved);
      return call.is_private();
    }
    default:
      return false;
  }
}

/// A call as is_passing says.
class PassingStep {
 public:
  explicit PassingStep(Thread& self) : self_(self), time_(self.time), ordinal_(++self.ordinal) {}
  ~PassingStep() {
    // A signal's handler may have done more.
    if (self_.time == time_ && self_.ordinal == ordinal_) --self_.ordinal;
  }
  PassingStep(const PassingStep&) = delete;
  PassingStep& operator=(const PassingStep&) = delete;

 private:
  Thread& self_;
  const std::uint64_t time_;
  const std::uint32_t ordinal_;
};

bool waits_outside(long command) { return command == FUTEX_LOCK_PI || command == FUTEX_WAIT_REQUEUE_PI; }

}  // namespace

long call_futex(Thread* self, const SystemCall& system, Pc pc) {
  const PassingStep passing(*self);
  const long* const a = system.arguments;
  const FutexCall call{.address = reinterpret_cast<const std::uint32_t*>(a[0]),
                       .operation = a[1],
                       .value = static_cast<std::uint32_t>(a[2]),
                       .timeout = reinterpret_cast<const timespec*>(a[3]),
                       .second = reinterpret_cast<const std::uint32_t*>(a[4]),
                       .third = static_cast<std::uint32_t>(a[5])};
  if (waits_outside(call.command())) {
    const Operation operation{.kind = OperationKind::Block, .object = call.address, .pc = pc};
    before(self, operation);
    const long result = system.run();
    after(self, operation);
    return result;
  }
  long result = 0;
  if (run_virtually(call, pc, result)) return result;
  const long outside = system.run();
  return outside < 0 ? outside : result + outside;
}

}  // namespace ravel::rt
