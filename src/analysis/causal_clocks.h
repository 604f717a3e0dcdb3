// CausalClocks: two clocks for every thread, moved on by every synchronization event.
//
//   H_t  what happens before the thread's next event: the edges of SyncClocks
//   P_t  what causally precedes it (Smaragdakis et al. 2012; for WCP, Kini et al. 2017): the H of every base
//        edge's source whose target happens before it. P travels along program order and from a release to
//        later acquires as H does.
//
// All edges but those of locks are base edges: fork and join, barriers, what synchronizes in C++20, and what
// a reordering must keep beyond that. Who arrives at a barrier after a round was full must not be part of
// that round, so all arrivals of a round come before those of the next. Notifies that fell into a wait must
// fall into it again, so the beginning of a wait comes before them and its end after them. (These edges are
// in H, too.) Which sections of a lock are ordered by a base edge is the caller's to say: it raises P after
// acquire() and before release().
//
// Local time counts all events of a thread, so that an edge may begin at any of them: next() before each, and
// after each of kTimeSteps, because accesses that are reported late come between those.
// P_t's entry for t itself does not count what program order alone puts before.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "analysis/undoable.h"
#include "analysis/vector_clock.h"
#include "event/event.h"

namespace ravel {

class CausalClocks {
 public:
  /// Kinds that are not accesses and have something to do here.
  static constexpr KindMask kKinds =
      KindMask::of(EventKind::Acquire, EventKind::Release, EventKind::AcquireShared, EventKind::ReleaseShared,
                   EventKind::Fork, EventKind::Join, EventKind::BarrierEnter, EventKind::BarrierExit,
                   EventKind::Fence, EventKind::WaitBegin, EventKind::WaitEnd, EventKind::Notify,
                   EventKind::NotifyAll, EventKind::Split, EventKind::Retire) |
      kToldOrder;

  struct ThreadState {
    VectorClock H;                ///< H_t, with the local time as own entry
    VectorClock P;                ///< P_t
    VectorClock release_fence;    ///< H_t at its last release fence
    VectorClock pending_acquire;  ///< what relaxed loads saw: acquired by the next acquire fence
    Time now = 0;                 ///< local time; it begins at 1
    bool rose = false;            ///< H_t learned of other threads since the caller set this to false
  };
  /// L_m
  struct LockState {
    VectorClock H;  ///< of the last exclusive release
    VectorClock P;
    VectorClock H_shared;  ///< joined over the shared releases since
    VectorClock P_shared;
    ThreadId releaser;  ///< whose exclusive release is the lock's last event
  };

  ThreadState& thread(ThreadId id) {
    ThreadState& self = threads_[id.index()];
    if (self.now == 0) [[unlikely]]
      start(id, self);
    return self;
  }
  LockState& lock(LockId id) { return locks_[id.index()]; }
  Epoch epoch(ThreadId id) { return {id, thread(id).now}; }

  /// The happens-before edges into an acquire.
  void acquire(const Event& event);
  /// What a release leaves for later acquires.
  void release(const Event& event);
  /// The thread's next local time.
  void next(ThreadId id) { next(id, thread(id)); }
  static void next(ThreadId id, ThreadState& self, std::uint64_t steps = 1) {
    CHECK(steps <= std::numeric_limits<Time>::max() - self.now,
          "more events of one thread than a clock can count");
    self.now += static_cast<Time>(steps);
    self.H.set(id, self.now);
  }

  /// Everything else that is no access. The value of After is a time of these clocks.
  void consume(const Event& event);
  /// The halves of an atomic access: what it acquires counts for the access itself.
  void before_atomic(const Event& event) { before_atomic(event, thread(event.thread)); }
  void before_atomic(const Event& event, ThreadState& self);
  void after_atomic(const Event& event) { after_atomic(event, thread(event.thread)); }
  void after_atomic(const Event& event, const ThreadState& self);
  /// Who reads a plain write synchronizes with nobody.
  void plain_write(VariableId variable) { forget_atomic(variable); }

  /// A base edge into the thread's next event from everything that `source` covers.
  void edge(ThreadId id, const VectorClock& source) { edge(thread(id), source); }

  void checkpoint();
  void restore();

 private:
  struct AtomicState {
    VectorClock released;  ///< what an acquire load is ordered after
  };
  struct BarrierState {
    struct Round {
      VectorClock arrivals;
      std::uint32_t inside = 0;
      bool closed = false;
    };
    std::deque<Round> rounds;
    std::uint64_t first = 0;
    VectorClock full;  ///< the arrivals of the last round that was
    boost::unordered_flat_map<ThreadId, std::uint64_t> entered;
  };
  struct ConditionState {
    boost::unordered_flat_map<ThreadId, std::uint64_t> waiting;  ///< with the notifies before its wait
    VectorClock begun;                                           ///< H of the waits that are not over
    VectorClock notified;                                        ///< H of all notifies
    std::uint64_t notifies = 0;
  };

  [[gnu::noinline]] static void start(ThreadId id, ThreadState& self) {
    self.H.set(id, self.now = 1);
    self.rose = true;
  }
  static void edge(ThreadState& self, const VectorClock& source);
  void barrier(const Event& event);
  void condition(const Event& event);
  void fence(const Event& event);
  void after(const Event& event);
  void forget_atomic(VariableId variable);
  const AtomicState* atomic(VariableId variable) const;
  AtomicState& make_atomic(VariableId variable);

  Undoable<ThreadState> threads_;
  Undoable<LockState> locks_;
  Undoable<AtomicState> atomics_;
  std::vector<std::uint32_t> atomic_of_;  ///< by variable: index in atomics_ + 1
  Undoable<BarrierState> barriers_;
  Undoable<ConditionState> conditions_;
  boost::unordered_flat_map<LockId, std::size_t> barrier_of_, condition_of_;  ///< indices
};

}  // namespace ravel
