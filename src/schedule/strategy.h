// Strategy: which thread runs next, in a run where only one runs at a time.
//
// It runs inside the user's program, under the token (runtime/token.h): freestanding, no memory but the
// arena's. Whoever needs chance takes it from the schedule's seed, so that the same seed is the same run.
// Nothing it decides may depend on an address. docs/adding-a-strategy.md shows how to write one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "event/operation_kind.h"
#include "schedule/arena.h"
#include "schedule/schedule.h"

namespace ravel {

/// A thread that may run now, and what it does if it is chosen.
struct Candidate {
  std::uint32_t thread = 0;  ///< 0, 1, ... in the order in which they were created
  ForkPath path;
  OperationKind next = OperationKind::Start;
  /// It sleeps, or waits with a limit: chosen, its time is over, and that of the run jumps to `deadline`.
  bool by_time = false;
  std::uint64_t deadline = 0;  ///< in nanoseconds of the run
  std::uint64_t syncs = 0;     ///< Step::syncs and Step::ordinal of what it does next
  std::uint64_t ordinal = 0;
  std::uint32_t place = 0;  ///< the code address of what it does next, as in the stream; 0: unknown
};

/// The run has reached a point at which another thread may go on.
struct Moment {
  static constexpr std::size_t kNobody = SIZE_MAX;

  std::uint64_t step = 0;                 ///< counts them, from 0
  std::span<const Candidate> candidates;  ///< at least one, by Candidate::thread
  std::size_t current = kNobody;          ///< the one that ran last, if it can go on

  /// The one that ran last wants others to run, and there are others.
  constexpr bool gives_way() const {
    return current != kNobody && candidates.size() > 1 && lets_others_run(candidates.data()[current].next);
  }
};

/// Why a run is no longer what its schedule says.
struct Departure {
  std::uint64_t step = 0;
  ForkPath thread;                    ///< that the schedule wants to run
  std::string_view expected;          ///< what it should do; literals, like `found`
  std::string_view found;             ///< what it does instead, or why it cannot run
  std::size_t constraint = SIZE_MAX;  ///< that could not be kept; SIZE_MAX: it is about a decision
};

class Strategy {
 public:
  /// An index of `now.candidates`. (Not pure, because that would need the C++ library.)
  virtual std::size_t choose(const Moment& /*now*/) { return 0; }
  /// The program ends by itself; candidates are beyond what they did last.
  virtual void end(const Moment& /*now*/) {}
  /// Whether the schedule could not be followed; the strategy goes on as it can.
  virtual const Departure* departure() const { return nullptr; }

 protected:
  ~Strategy() = default;  // they live in an arena
};

/// Names of strategies, for messages and completions; "" ends the list.
extern const std::string_view kStrategyNames[];

/// The strategy a schedule asks for: it follows its decisions or constraints first, if there are any, and
/// then goes on by `schedule.strategy` (empty: non-preemptive). Null: no such strategy, or out of memory.
/// What the schedule points to must live as long as the strategy.
Strategy* make_strategy(const Schedule& schedule, Arena& arena);

}  // namespace ravel
