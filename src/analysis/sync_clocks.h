// SyncClocks: the happens-before clocks of all threads, moved on by every synchronization event.
//
// The edges are: program order; release -> later acquires of the lock, where readers are ordered with writers
// but not with each other; fork -> child, child -> join; a barrier's arrivals -> the exits of the same round;
// and for atomics those of C++20: a release operation (or a release fence before it) -> an acquire operation
// (or an acquire fence after it) that reads from it or from its release sequence. Conditions add none: a
// wait's release and acquire of its lock do that.
//
// A thread's own entry is its local time (kTimeSteps), which is what retroactive accesses refer to. For the
// edges alone it would be enough to tick at releases.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <vector>

#include "analysis/vector_clock.h"
#include "event/event.h"

namespace ravel {

class SyncClocks {
 public:
  /// All kinds consume() has something to do for.
  static constexpr KindMask kKinds =
      KindMask::of(EventKind::Acquire, EventKind::Release, EventKind::AcquireShared, EventKind::ReleaseShared,
                   EventKind::Fork, EventKind::Join, EventKind::BarrierEnter, EventKind::BarrierExit,
                   EventKind::Fence, EventKind::Split, EventKind::Retire) |
      kToldOrder;

  /// Any event that is no access.
  void consume(const Event& event);

  /// An atomic access has two halves: what it acquires counts for the access itself, what it releases does
  /// not include it. When both are done for all its parts, tick() if it
  /// is one of kTimeSteps.
  void before_atomic(const Event& event);
  void after_atomic(const Event& event);
  /// A plain write to a variable that may be atomic: who reads it synchronizes with nobody.
  void plain_write(const Event& event) { forget_atomic(event.variable()); }

  /// A thread's clock and local time. Valid until the next event that is no plain access.
  struct Now {
    Epoch epoch;
    const VectorClock& clock;
  };
  Now now(ThreadId thread) {
    const ThreadState& self = state(thread);
    return {self.epoch, self.clock};
  }

  /// C_t. Valid until a new thread appears.
  const VectorClock& clock(ThreadId thread) { return state(thread).clock; }
  Epoch epoch(ThreadId thread) { return state(thread).epoch; }
  /// An edge into the thread's next event from everything that `clock` covers.
  bool join(ThreadId thread, const VectorClock& clock) { return state(thread).clock.join(clock); }
  /// Starts a new local time: what the thread does from here on is not covered by clocks taken before.
  void tick(ThreadId thread) { tick(thread, state(thread), 1); }

 private:
  struct ThreadState {
    VectorClock clock;            ///< C_t
    Epoch epoch;                  ///< C_t(t)@t
    VectorClock release_fence;    ///< C_t at its last release fence
    VectorClock pending_acquire;  ///< what relaxed loads saw: acquired by the next acquire fence
  };
  /// L_m: what the next owner is ordered after.
  struct LockState {
    VectorClock exclusive;
    VectorClock shared;
    ThreadId releaser;  ///< whose exclusive release is the lock's last event; it need not join its own clock
  };
  /// A barrier's rounds: a thread leaves the round it entered, though others may have entered the next.
  struct BarrierState {
    struct Round {
      VectorClock arrivals;
      std::uint32_t inside = 0;  ///< threads that arrived and have not left
      bool closed = false;       ///< someone has left: later arrivals belong to the next round
    };
    std::deque<Round> rounds;  ///< those that may still be left
    std::uint64_t first = 0;   ///< number of rounds.front()
    boost::unordered_flat_map<ThreadId, std::uint64_t> entered;
  };

  ThreadState& state(ThreadId thread) {
    if (thread.index() >= threads_.size() || threads_[thread.index()].epoch.none()) [[unlikely]]
      start(thread);
    return threads_[thread.index()];
  }
  void start(ThreadId thread);
  static void tick(ThreadId thread, ThreadState& self, std::uint64_t steps);
  LockState& lock(LockId lock);
  void acquire(const Event& event);
  void release(const Event& event);
  void barrier(const Event& event);
  void fence(const Event& event);
  /// Null: nobody has accessed it atomically.
  const VectorClock* atomic(VariableId variable) const {
    if (variable.index() >= atomic_of_.size() || atomic_of_[variable.index()] == 0) return nullptr;
    return &atomics_[atomic_of_[variable.index()] - 1];
  }
  VectorClock& make_atomic(VariableId variable);
  void forget_atomic(VariableId variable) {
    if (variable.index() < atomic_of_.size() && atomic_of_[variable.index()] != 0)
      atomics_[atomic_of_[variable.index()] - 1].clear();
  }

  std::vector<ThreadState> threads_;
  std::vector<LockState> locks_;
  boost::unordered_flat_map<LockId, BarrierState> barriers_;
  std::vector<std::uint32_t> atomic_of_;  ///< by variable: index in atomics_ + 1
  std::vector<VectorClock> atomics_;      ///< what an acquire load of the variable is ordered after
};

}  // namespace ravel
