#include "analysis/sync_clocks.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ravel {

void SyncClocks::start(ThreadId thread) {
  if (thread.index() >= threads_.size()) threads_.resize(thread.index() + 1);
  ThreadState& self = threads_[thread.index()];
  if (self.epoch.none()) tick(thread, self, 1);
}

void SyncClocks::tick(ThreadId thread, ThreadState& self, std::uint64_t steps) {
  const Time now = self.clock[thread];
  CHECK(steps <= std::numeric_limits<Time>::max() - now,
        "more synchronization by one thread than a clock can count");
  self.clock.set(thread, now + static_cast<Time>(steps));
  self.epoch = Epoch(thread, now + static_cast<Time>(steps));
}

SyncClocks::LockState& SyncClocks::lock(LockId lock) {
  if (lock.index() >= locks_.size()) locks_.resize(lock.index() + 1);
  return locks_[lock.index()];
}

void SyncClocks::consume(const Event& event) {
  switch (event.kind) {
    case EventKind::Acquire:
    case EventKind::AcquireShared:
      acquire(event);
      break;
    case EventKind::Release:
    case EventKind::ReleaseShared:
      release(event);
      break;
    case EventKind::Fork:
      state(event.thread);  // before the references below: it may move the states
      state(event.other_thread()).clock.join(threads_[event.thread.index()].clock);
      break;
    case EventKind::Join:
      state(event.other_thread());
      state(event.thread).clock.join(threads_[event.other_thread().index()].clock);
      break;
    case EventKind::BarrierEnter:
    case EventKind::BarrierExit:
      barrier(event);
      break;
    case EventKind::Fence:
      fence(event);
      break;
    case EventKind::Split:
      if (const VectorClock* const whole = atomic(event.split_from()); whole != nullptr) {
        VectorClock copy = *whole;
        make_atomic(event.variable()) = std::move(copy);
      }
      return;
    case EventKind::Retire:
      forget_atomic(event.variable());
      return;
    case EventKind::Elapse:
      return tick(event.thread, state(event.thread), event.value);
    case EventKind::After: {
      ThreadState& self = state(event.thread);
      VectorClock& raised = event.order == MemoryOrder::Relaxed ? self.pending_acquire : self.clock;
      raised.raise(event.other_thread(), static_cast<Time>(event.value));
      return;
    }
    default:
      return;
  }
  tick(event.thread);
}

void SyncClocks::acquire(const Event& event) {
  ThreadState& self = state(event.thread);
  const LockState& m = lock(event.lock());
  if (m.releaser == event.thread) return;
  self.clock.join(m.exclusive);
  if (event.kind == EventKind::Acquire) self.clock.join(m.shared);
}

void SyncClocks::release(const Event& event) {
  ThreadState& self = state(event.thread);
  LockState& m = lock(event.lock());
  if (event.kind == EventKind::Release) {
    // The owner joined all earlier releases when it acquired: its clock covers them. A trace that begins
    // inside a critical section has no such acquire, hence the join.
    m.exclusive.join(self.clock);
    m.shared.clear();
    m.releaser = event.thread;
  } else {
    m.shared.join(self.clock);
    m.releaser = ThreadId();
  }
}

void SyncClocks::barrier(const Event& event) {
  ThreadState& self = state(event.thread);
  BarrierState& b = barriers_[event.lock()];
  if (event.kind == EventKind::BarrierEnter) {
    if (b.rounds.empty() || b.rounds.back().closed) b.rounds.emplace_back();
    BarrierState::Round& round = b.rounds.back();
    b.entered[event.thread] = b.first + b.rounds.size() - 1;
    ++round.inside;
    round.arrivals.join(self.clock);
    return;
  }
  const auto entered = b.entered.find(event.thread);
  if (entered == b.entered.end()) return;  // the trace began while the thread was inside
  BarrierState::Round& round = b.rounds[entered->second - b.first];
  b.entered.erase(entered);
  round.closed = true;
  --round.inside;
  self.clock.join(round.arrivals);
  for (; !b.rounds.empty() && b.rounds.front().closed && b.rounds.front().inside == 0; ++b.first)
    b.rounds.pop_front();
}

void SyncClocks::fence(const Event& event) {
  ThreadState& self = state(event.thread);
  if (acquires(event.order)) self.clock.join(self.pending_acquire);
  if (releases(event.order)) self.release_fence = self.clock;
}

VectorClock& SyncClocks::make_atomic(VariableId variable) {
  if (variable.index() >= atomic_of_.size())
    atomic_of_.resize(std::max(variable.index() + 1, atomic_of_.size() * 2));
  std::uint32_t& index = atomic_of_[variable.index()];
  if (index == 0) {
    atomics_.emplace_back();
    index = static_cast<std::uint32_t>(atomics_.size());
  }
  return atomics_[index - 1];
}

void SyncClocks::before_atomic(const Event& event) {
  if (event.kind == EventKind::AtomicStore) return;
  const VectorClock* const found = atomic(event.variable());
  if (found == nullptr) return;
  ThreadState& self = state(event.thread);
  (acquires(event.order) ? self.clock : self.pending_acquire).join(*found);
}

void SyncClocks::after_atomic(const Event& event) {
  if (event.kind == EventKind::AtomicLoad) return;
  ThreadState& self = state(event.thread);
  VectorClock& released = make_atomic(event.variable());
  const VectorClock& now = releases(event.order) ? self.clock : self.release_fence;
  // A store begins a release sequence of its own; a read-modify-write continues the one it is in.
  if (event.kind == EventKind::AtomicStore)
    released = now;
  else
    released.join(now);
}

}  // namespace ravel
