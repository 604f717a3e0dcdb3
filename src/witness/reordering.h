// Is a sequence of events a correct reordering of a trace (Sadowski 2012, Definition 7)? The judge of every
// witness: it shares no code with what builds witnesses and is written to be read, not to be fast.
//
// A correct reordering runs a prefix of every thread, obeys locks, and lets every read see the same write as
// in the trace, byte by byte; the atomic loads and read-modify-writes too, since another write would change
// what synchronizes. The program could then have run this way under sequential consistency. Beyond the
// definition's events:
//   - a thread does nothing before its fork; a join comes after the fork of the joined thread and everything
//     it did in the trace
//   - a thread leaves a barrier when all that met there in the trace have arrived; passages keep their order
//   - notifies that fell into a wait fall into it again
//   - Alloc and Free keep their order with everything that touches their block
//   - a lock is free again only after its release: an open section blocks the others for good
// Units, calls, requests, fences, object lifetimes, thread start and exit only have program order. Traces
// with accesses reported late (RetroRead, RetroWrite) have no known order and no reordering.
#pragma once

#include <cstdint>
#include <expected>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "witness/small_trace.h"

namespace ravel {

// X(name, what is wrong)
#define RAVEL_REORDERING_RULES(X)                                             \
  X(UnknownEvent, "is not in the trace")                                      \
  X(LateAccess, "was reported late: its place in the order is unknown")       \
  X(ProgramOrder, "is not the next event of its thread")                      \
  X(BeforeFork, "runs before its thread was forked")                          \
  X(JoinTooEarly, "joins a thread that has not finished")                     \
  X(LockHeld, "acquires a lock that is held")                                 \
  X(LockNotHeld, "releases a lock that its thread does not hold")             \
  X(ReadsOther, "reads another write than in the trace")                      \
  X(BarrierPhase, "passes a barrier before the threads it met there arrived") \
  X(WaitWithoutNotify, "ends a wait, or notifies, out of step")               \
  X(BlockLifetime, "overtakes the allocation or release of its memory")       \
  X(NoRace, "is not in a race with the event before it")                      \
  X(NoDeadlock, "does not leave its thread in a cycle of waiting threads")

enum class ReorderingRule : std::uint8_t {
#define X(name, ...) name,
  RAVEL_REORDERING_RULES(X)
#undef X
};

/// The first rule a sequence breaks.
struct ReorderingFault {
  ReorderingRule rule = ReorderingRule::UnknownEvent;
  std::size_t step = 0;        ///< index in the sequence (its size: about the end of it)
  std::uint64_t position = 0;  ///< the event at that step; 0: none

  friend bool operator==(const ReorderingFault&, const ReorderingFault&) = default;
  std::string text() const;  ///< "step 3: event 7 acquires a lock that is held"
};
std::string_view rule_text(ReorderingRule rule);

/// `sequence` names events of `original` by position.
std::expected<void, ReorderingFault> check_reordering(const SmallTrace& original,
                                                      std::span<const std::uint64_t> sequence);

/// Does the sequence end in a race? All but its last two events are a correct reordering after which the two
/// are next in their threads, at the same time, and clash. They may see or leave any value: they stand side
/// by side, so which of them comes first is open, and nothing after them depends on it.
std::expected<void, ReorderingFault> check_race(const SmallTrace& original,
                                                std::span<const std::uint64_t> sequence);

/// What a thread of a deadlock may wait for.
enum class DeadlockWaits : std::uint8_t { Locks, LocksAndJoins };

/// Is the sequence a correct reordering after which some threads wait for each other in a cycle: each one's
/// next event is an acquire (perhaps announced by a Request) of a lock that the next one holds, or a join of
/// it? Returns the cycle. `among`: only these threads count; empty: all.
std::expected<std::vector<ThreadId>, ReorderingFault> check_deadlock(
    const SmallTrace& original, std::span<const std::uint64_t> sequence,
    DeadlockWaits waits = DeadlockWaits::Locks, const std::set<ThreadId>& among = {});

}  // namespace ravel
