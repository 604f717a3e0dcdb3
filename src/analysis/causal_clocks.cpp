#include "analysis/causal_clocks.h"

#include <algorithm>

#include "analysis/recorder_times.h"

namespace ravel {

void CausalClocks::edge(ThreadState& self, const VectorClock& source) {
  self.rose |= self.H.join(source);
  self.P.join(source);
}

void CausalClocks::acquire(const Event& event) {
  ThreadState& self = thread(event.thread);
  const LockState& m = lock(event.lock());
  if (m.releaser == event.thread) return;
  self.rose |= self.H.join(m.H);
  self.P.join(m.P);
  if (event.kind != EventKind::Acquire) return;
  self.rose |= self.H.join(m.H_shared);
  self.P.join(m.P_shared);
}

void CausalClocks::release(const Event& event) {
  const ThreadState& self = thread(event.thread);
  LockState& m = lock(event.lock());
  if (event.kind == EventKind::Release) {
    // As in SyncClocks, a join: a trace may begin inside a section.
    m.H.join(self.H);
    m.P.join(self.P);
    m.H_shared.clear();
    m.P_shared.clear();
    m.releaser = event.thread;
  } else {
    m.H_shared.join(self.H);
    m.P_shared.join(self.P);
    m.releaser = ThreadId();
  }
}

void CausalClocks::consume(const Event& event) {
  switch (event.kind) {
    case EventKind::Fork:
      edge(thread(event.other_thread()), thread(event.thread).H);
      return;
    case EventKind::Join:
      edge(thread(event.thread), thread(event.other_thread()).H);
      return;
    case EventKind::BarrierEnter:
    case EventKind::BarrierExit:
      barrier(event);
      return;
    case EventKind::WaitBegin:
    case EventKind::WaitEnd:
    case EventKind::Notify:
    case EventKind::NotifyAll:
      condition(event);
      return;
    case EventKind::Fence:
      fence(event);
      return;
    case EventKind::Split:
      if (const AtomicState* whole = atomic(event.split_from()); whole != nullptr) {
        const AtomicState copy = *whole;
        make_atomic(event.variable()) = copy;
      }
      return;
    case EventKind::Retire:
      forget_atomic(event.variable());
      return;
    case EventKind::Elapse:
      return next(event.thread, thread(event.thread), RecorderTimes::duration(event.value));
    case EventKind::After:
      return after(event);
    default:
      return;
  }
}

void CausalClocks::after(const Event& event) {
  ThreadState& self = thread(event.thread);
  const auto time = static_cast<Time>(event.value);
  if (event.order == MemoryOrder::Relaxed) {
    self.pending_acquire.raise(event.other_thread(), time);
    return;
  }
  self.rose |= self.H.raise(event.other_thread(), time);
  self.P.raise(event.other_thread(), time);
}

void CausalClocks::barrier(const Event& event) {
  ThreadState& self = thread(event.thread);
  BarrierState& b = barriers_[barrier_of_.try_emplace(event.lock(), barrier_of_.size()).first->second];
  if (event.kind == EventKind::BarrierEnter) {
    if (b.rounds.empty() || b.rounds.back().closed) b.rounds.emplace_back();
    BarrierState::Round& round = b.rounds.back();
    b.entered[event.thread] = b.first + b.rounds.size() - 1;
    ++round.inside;
    edge(self, b.full);
    round.arrivals.join(self.H);
    return;
  }
  const auto entered = b.entered.find(event.thread);
  if (entered == b.entered.end()) return;  // the trace began while the thread was inside
  BarrierState::Round& round = b.rounds[entered->second - b.first];
  b.entered.erase(entered);
  if (!round.closed) b.full = round.arrivals;
  round.closed = true;
  --round.inside;
  edge(self, round.arrivals);
  for (; !b.rounds.empty() && b.rounds.front().closed && b.rounds.front().inside == 0; ++b.first)
    b.rounds.pop_front();
}

void CausalClocks::condition(const Event& event) {
  ThreadState& self = thread(event.thread);
  ConditionState& c =
      conditions_[condition_of_.try_emplace(event.lock(), condition_of_.size()).first->second];
  if (event.kind == EventKind::WaitBegin) {
    c.waiting[event.thread] = c.notifies;
    c.begun.join(self.H);
  } else if (event.kind == EventKind::WaitEnd) {
    const auto begun = c.waiting.find(event.thread);
    if (begun == c.waiting.end() || begun->second < c.notifies) edge(self, c.notified);
    if (begun != c.waiting.end()) c.waiting.erase(begun);
    if (c.waiting.empty()) c.begun.clear();
  } else {
    edge(self, c.begun);
    c.notified.join(self.H);
    ++c.notifies;
  }
}

void CausalClocks::fence(const Event& event) {
  ThreadState& self = thread(event.thread);
  if (acquires(event.order)) edge(self, self.pending_acquire);
  if (releases(event.order)) self.release_fence = self.H;
}

void CausalClocks::before_atomic(const Event& event, ThreadState& self) {
  if (event.kind == EventKind::AtomicStore) return;
  const AtomicState* const found = atomic(event.variable());
  if (found == nullptr) return;
  if (acquires(event.order))
    edge(self, found->released);
  else
    self.pending_acquire.join(found->released);
}

void CausalClocks::after_atomic(const Event& event, const ThreadState& self) {
  if (event.kind == EventKind::AtomicLoad) return;
  VectorClock& released = make_atomic(event.variable()).released;
  const VectorClock& now = releases(event.order) ? self.H : self.release_fence;
  // A store begins a release sequence of its own; a read-modify-write continues the one it is in.
  if (event.kind == EventKind::AtomicStore)
    released = now;
  else
    released.join(now);
}

const CausalClocks::AtomicState* CausalClocks::atomic(VariableId variable) const {
  if (variable.index() >= atomic_of_.size() || atomic_of_[variable.index()] == 0) return nullptr;
  return atomics_.find(atomic_of_[variable.index()] - 1);
}

CausalClocks::AtomicState& CausalClocks::make_atomic(VariableId variable) {
  if (variable.index() >= atomic_of_.size())
    atomic_of_.resize(std::max(variable.index() + 1, atomic_of_.size() * 2));
  std::uint32_t& index = atomic_of_[variable.index()];
  if (index == 0) index = static_cast<std::uint32_t>(atomics_.size() + 1);
  return atomics_[index - 1];
}

void CausalClocks::forget_atomic(VariableId variable) {
  if (variable.index() < atomic_of_.size() && atomic_of_[variable.index()] != 0)
    atomics_[atomic_of_[variable.index()] - 1].released.clear();
}

void CausalClocks::checkpoint() {
  threads_.checkpoint();
  locks_.checkpoint();
  atomics_.checkpoint();
  barriers_.checkpoint();
  conditions_.checkpoint();
}

void CausalClocks::restore() {
  threads_.restore();
  locks_.restore();
  atomics_.restore();
  barriers_.restore();
  conditions_.restore();
}

}  // namespace ravel
