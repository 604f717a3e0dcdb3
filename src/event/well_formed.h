// The rules a trace must obey (Sadowski 2012, 7.2 and ch. 19), checked event by event.
//
//   - a lock is held by one thread at a time, or by readers only; it is released by a thread that holds it
//   - a thread does nothing before the fork that names it, nor after its join or its own exit
//   - units of work end in the thread that began them, innermost first
//   - local time that passes without events is not more than clocks can count
// Re-entrant acquires and the releases that match them are legal and filtered: the checker drops them.
// Releases in non-nested order are legal and counted, because some analyses promise less for such traces.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "event/event.h"

namespace ravel {

// X(name, what the thread did, what the lenient mode did, for its count)
#define RAVEL_TRACE_RULES(X)                                                                               \
  X(HeldByOther, "acquires a lock that another thread holds",                                              \
    "acquires of a lock that another thread holds")                                                        \
  X(Upgrade, "acquires a lock that it holds as a reader", "exclusive acquires by a reader of the lock")    \
  X(NotOwner, "releases a lock that it does not hold", "releases by a thread that does not hold the lock") \
  X(ForkAfterStart, "forks a thread that has already begun", "forks of a thread that has already begun")   \
  X(OwnForkJoin, "forks or joins itself", "forks or joins of the own thread")                              \
  X(AfterEnd, "acts after its end", "events of a thread after its end")                                    \
  X(UnitMismatch, "ends a unit of work that is not its innermost open one",                                \
    "unmatched ends of units of work")                                                                     \
  X(EndlessTime, "lets more local time pass than there is", "steps of local time beyond all that there is")

enum class TraceRule : std::uint8_t {
#define X(name, ...) name,
  RAVEL_TRACE_RULES(X)
#undef X
};
inline constexpr std::array kTraceRules = {
#define X(name, ...) TraceRule::name,
    RAVEL_TRACE_RULES(X)
#undef X
};

std::string_view rule_text(TraceRule rule);     ///< "acquires a lock that another thread holds"
std::string_view rule_dropped(TraceRule rule);  ///< "acquires of a lock that another thread holds"

/// Checks one trace from its first event on. Works on unresolved events (targets are addresses).
class WellFormed {
 public:
  struct Violation {
    TraceRule rule;
    Event event;
  };

  /// Removes re-entrant acquires with their releases from `batch`. Strict: stops at the first event that
  /// breaks a rule and returns it. Lenient: drops and counts such events.
  std::optional<Violation> filter(std::vector<Event>& batch, bool lenient);

  std::uint64_t reentrant() const { return reentrant_; }    ///< acquires filtered
  std::uint64_t non_nested() const { return non_nested_; }  ///< releases out of nested order
  std::uint64_t dropped(TraceRule rule) const { return dropped_[static_cast<std::size_t>(rule)]; }

 private:
  struct Held {
    std::uint64_t lock;
    std::uint32_t depth;  ///< acquires minus releases by this thread
    bool shared;
  };
  struct ThreadState {
    bool begun = false;  ///< forked, or has acted
    bool ended = false;  ///< joined, or has exited
    std::vector<Held> held;
    std::vector<std::uint64_t> units;  ///< labels of open units, innermost last
    std::uint64_t elapsed = 0;         ///< steps of local time
  };
  struct LockState {
    ThreadId owner;
    std::uint32_t readers = 0;
  };
  enum class Outcome : std::uint8_t { Keep, Filter, Broken };

  Outcome check(const Event& event, TraceRule& broken);
  Outcome acquire(ThreadState& thread, const Event& event, TraceRule& broken);
  Outcome release(ThreadState& thread, const Event& event, TraceRule& broken);
  void forget_locks(std::uint64_t begin, std::uint64_t size);
  ThreadState& thread(ThreadId id);

  std::vector<ThreadState> threads_;
  std::vector<std::uint8_t> running_;  ///< by thread: begun and not ended
  boost::unordered_flat_map<std::uint64_t, LockState> locks_;
  std::uint64_t reentrant_ = 0;
  std::uint64_t non_nested_ = 0;
  std::array<std::uint64_t, kTraceRules.size()> dropped_{};
};

}  // namespace ravel
