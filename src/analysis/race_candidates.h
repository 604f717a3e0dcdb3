// RaceCandidates: which variables may have a race at all, so that an analysis that remembers much of a
// variable need not do so for the others. A first pass over the trace.
//
// A variable is no candidate if it is never written, or only accessed atomically, or if its accesses are
// ordered by fork, join and barriers, or excluded by a lock held at all of them; or first the one, then the
// other. That is an over-approximation for every definition of a race in which locks that exclude each other,
// and fork, join and barriers count.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/sync_clocks.h"
#include "analysis/vector_clock.h"
#include "trace/large_memory.h"

namespace ravel {

/// Numbers the lives of variables in the order of their first accesses: the same in every pass over a trace,
/// though ids of variables are used again.
class VariableLives {
 public:
  /// From 1.
  std::uint32_t of(VariableId variable) {
    std::uint32_t& life = at(variable);
    if (life == 0) life = ++count_;
    return life;
  }
  /// The part that was split off begins a life of its own. False: the whole has none.
  bool split(const Event& event) {
    const bool lives = at(event.split_from()) != 0;
    at(event.variable()) = lives ? ++count_ : 0;
    return lives;
  }
  void retire(const Event& event) { at(event.variable()) = 0; }

 private:
  std::uint32_t& at(VariableId variable) {
    if (variable.index() >= lives_.size()) lives_.grow(variable.index() + 1);
    return lives_[variable.index()];
  }

  LargeTable<std::uint32_t> lives_;
  std::uint32_t count_ = 0;
};

class RaceCandidates {
 public:
  static constexpr KindMask kKinds =
      kPlainAccesses | kAtomicAccesses | kVariableLifetime |
      KindMask::of(EventKind::Fork, EventKind::Join, EventKind::BarrierEnter, EventKind::BarrierExit);

  explicit RaceCandidates(LocksetTable& locksets) : locksets_(locksets) {}

  void consume(const Event& event);
  /// By life of a variable: whether it is a candidate. Complete at the end of the trace.
  std::vector<bool> take();

 private:
  enum class Phase : std::uint8_t { Fresh, Owned, Shared, Candidate };
  struct State {
    /// Owned: the last access; all before `base` happened before it. Shared: unused.
    Epoch last;
    /// The last access of the owner before; whoever is ordered after it is ordered after all before.
    Epoch base;
    LocksetId common;  ///< locks held at all accesses since `base`
    std::uint32_t life = 0;
    Phase phase = Phase::Fresh;
    bool written = false;       ///< since `base`
    bool plain = false;         ///< since `base`: not all accesses are atomic
    bool ever_written = false;  ///< in its life
    std::uint32_t unused = 0;
  };
  static_assert(sizeof(State) == 32);

  void access(const Event& event);
  LocksetId protecting(const Event& event) {
    return is_write(event.kind) ? locksets_.protecting_write(event.held())
                                : locksets_.protecting_read(event.held());
  }
  void check(State& state);
  void mark(std::uint32_t life);
  State& at(VariableId variable) {
    if (variable.index() >= states_.size()) states_.grow(variable.index() + 1);
    return states_[variable.index()];
  }

  LocksetTable& locksets_;
  SyncClocks clocks_;  ///< only of forks, joins and barriers
  VariableLives lives_;
  LargeTable<State> states_;  ///< zeros are fresh
  std::vector<bool> candidates_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parts_;  ///< life of a part, and of the whole
};

}  // namespace ravel
