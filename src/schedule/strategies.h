// The strategies there are. A new one is a file of its own and a line here; docs/adding-a-strategy.md.
#pragma once

#include "schedule/strategy.h"

namespace ravel {

// X(name, the function that makes it). The first is what an empty name means.
#define RAVEL_STRATEGIES(X)                \
  X("non-preemptive", make_non_preemptive) \
  X("random", make_random)                 \
  X("round-robin", make_round_robin)

// nullptr: out of memory.
#define X(name, make) Strategy* make(const Schedule& schedule, Arena& arena);
RAVEL_STRATEGIES(X)
#undef X

/// Does what the schedule's decisions or constraints say, and else what `fallback` does. nullptr: out of
/// memory.
Strategy* follow_decisions(const Schedule& schedule, Strategy& fallback, Arena& arena);
Strategy* follow_constraints(const Schedule& schedule, Strategy& fallback, Arena& arena);

/// The first candidate after thread `last`, going round, for which `may_run` holds; kNobody: there is none.
template <typename MayRun>
std::size_t next_after(std::uint32_t last, std::span<const Candidate> candidates, MayRun may_run) {
  std::size_t found = Moment::kNobody;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates.data()[i];
    if (!may_run(candidate)) continue;
    if (candidate.thread > last) return i;
    if (found == Moment::kNobody) found = i;
  }
  return found;
}

}  // namespace ravel
