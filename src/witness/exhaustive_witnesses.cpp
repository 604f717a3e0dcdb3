#include "witness/exhaustive_witnesses.h"

#include "witness/fresh_memory.h"

namespace ravel {
namespace {

/// More take too long for a question that comes with every analysis.
constexpr std::size_t kMostStates = std::size_t{1} << 16;

}  // namespace

std::optional<ExhaustiveWitnesses> ExhaustiveWitnesses::of(TraceReader& trace) {
  auto events = collect(trace, Oracle::kMaxEvents);
  if (!events || events->header.filter != FilterLevel::None ||
      events->header.access_order != AccessOrder::Exact)
    return std::nullopt;
  auto oracle = Oracle::explore(with_fresh_memory(*events), kMostStates);
  if (!oracle) return std::nullopt;
  return ExhaustiveWitnesses(std::move(*events), std::move(*oracle));
}

std::optional<Witness> ExhaustiveWitnesses::find(const WitnessGoal& goal) const {
  auto sequence = goal.kind == WitnessGoal::Kind::Race
                      ? oracle_.predictable_race(goal.events.front(), goal.events.back())
                      : find_deadlock(goal);
  if (!sequence) return std::nullopt;
  Witness witness{goal, trace_, std::move(*sequence)};
  if (check(witness)) return std::nullopt;
  return witness;
}

/// A reordering after which the acquires of the goal are next.
std::optional<std::vector<std::uint64_t>> ExhaustiveWitnesses::find_deadlock(const WitnessGoal& goal) const {
  std::uint64_t before = 0;
  std::uint64_t behind = 0;
  for (const std::uint64_t position : goal.events) {
    const auto acquire = trace_.index_of(position);
    if (!acquire) return std::nullopt;
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      const Event& event = trace_.events[i];
      if (event.thread != trace_.events[*acquire].thread) continue;
      // Whether the thread has said that it is about to acquire makes no difference.
      if (i >= *acquire)
        behind |= std::uint64_t{1} << i;
      else if (event.kind != EventKind::Request || event.target != trace_.events[*acquire].target)
        before |= std::uint64_t{1} << i;
    }
  }
  std::optional<std::vector<std::uint64_t>> found;
  oracle_.for_each_reachable_state(
      [&](const Oracle::State& state, const std::vector<std::uint64_t>& reordering) {
        if ((state.done & before) != before || (state.done & behind) != 0) return true;
        if (check({goal, trace_, reordering})) return true;
        found = reordering;
        return false;
      });
  return found;
}

}  // namespace ravel
