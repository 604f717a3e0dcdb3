// Oracle: every correct reordering of a small trace (about 14 events), by exhaustive search. The truth that
// everything which predicts is tested against; reordering.h says what a correct reordering is.
//
// A state is what has run and which write each byte that is still to be read holds; reorderings that lead to
// the same state have the same future, so each state is explored once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "event/result.h"
#include "witness/reordering.h"
#include "witness/small_trace.h"

namespace ravel {

class Oracle {
 public:
  static constexpr std::size_t kMaxEvents = 64;
  static constexpr std::size_t kMaxStates = 1 << 20;

  /// What a correct reordering can have run: a set of events and one order of them.
  struct State {
    std::uint64_t done = 0;  ///< bit i: events[i] has run
    std::uint32_t parent = 0;
    std::uint8_t last = 0;  ///< event that led here from the parent
  };

  /// Explores all states. An error if there are too many events or states, or accesses that were reported
  /// late.
  static Result<Oracle> explore(const SmallTrace& trace, std::size_t max_states = kMaxStates);

  std::size_t states() const { return states_.size(); }
  /// Calls `visit` with every reachable state and a shortest reordering to it, until it returns false.
  void for_each_reachable_state(
      const std::function<bool(const State&, const std::vector<std::uint64_t>& reordering)>& visit) const;

  /// A reordering for check_race that ends with the events at positions a and b, if they clash and some
  /// correct reordering leaves both as the next events of their threads. The values that the two themselves
  /// see do not matter: they stand side by side, and only reads inside the reordering must see the same
  /// write.
  std::optional<std::vector<std::uint64_t>> predictable_race(std::uint64_t a, std::uint64_t b) const;
  /// All such pairs, earlier event first, sorted.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> predictable_races() const;

  /// A reordering for check_deadlock, if there is one.
  std::optional<std::vector<std::uint64_t>> predictable_deadlock(
      DeadlockWaits waits = DeadlockWaits::Locks) const;

 private:
  struct Rule {
    std::uint64_t needs = 0;     ///< events that must have run before
    std::uint64_t forbids = 0;   ///< events that must not have run before
    std::uint64_t sections = 0;  ///< acquires whose open section keeps this acquire from succeeding
    std::uint64_t ends = 0;      ///< of an acquire: events that end its section
    std::vector<std::pair<std::uint8_t, std::uint8_t>>
        sees;                          ///< of a read: cell and the write it must hold, + 1
    std::vector<std::uint8_t> writes;  ///< cells
  };

  explicit Oracle(const SmallTrace& trace) : events_(trace.events) {}
  void derive_rules(const SmallTrace& trace);
  void derive_cells();
  Result<void> search(std::size_t max_states);
  bool next(std::size_t i, std::uint64_t done) const;
  std::uint64_t open_against(std::size_t acquire, std::uint64_t done) const;
  bool deadlocked(std::uint64_t done, DeadlockWaits waits) const;
  std::vector<std::uint64_t> reordering(std::size_t state) const;

  std::vector<Event> events_;
  std::vector<Rule> rules_;                  // by event
  std::vector<std::uint64_t> cell_readers_;  // by cell: events that read it
  std::vector<State> states_;                // the first is the empty reordering
};

}  // namespace ravel
