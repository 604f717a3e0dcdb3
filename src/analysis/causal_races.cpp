#include "analysis/causal_races.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace ravel {
namespace {

struct Silent final : RaceHistory::Observer {
  bool raced = false;
  void race(const Involved& /*first*/, Epoch /*when*/, const Event& /*second*/) override { raced = true; }
};

}  // namespace

std::span<const CausalRaces::First> CausalRaces::find(std::span<const Event> parts, const VectorClock& P) {
  firsts_.clear();
  constexpr std::size_t kAhead = 12;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Event& part = parts[i];
    if (i + kAhead < parts.size()) prefetch(parts[i + kAhead].variable());
    if (part.kind == EventKind::Split) lifetime(part);
    if (is_access(part.kind)) history_.find_races(part, P, *this);
  }
  if (firsts_.size() > 1)
    std::ranges::sort(firsts_, std::greater<>(), [](const First& first) { return first.access.position; });
  return firsts_;
}

void CausalRaces::remember(std::span<const Event> parts, Epoch now, const VectorClock& P) {
  Silent silent;
  const bool raced = !firsts_.empty();
  for (const Event& part : parts) {
    if (part.kind == EventKind::Retire) lifetime(part);
    if (!is_access(part.kind)) continue;
    if (!raced)
      history_.remember_unraced(part, now, P);
    else if (part.kind == EventKind::Read)
      history_.read(part, now, P, silent);
    else if (part.kind == EventKind::Write)
      history_.write(part, now, P, silent);
    else
      history_.atomic(part, now, P, silent);
    if (!loose_ && is_atomic(part.kind)) remember_atomic(part, now, P);
  }
}

// As if they were plain: of two that nothing orders a reordering must keep what they read.
void CausalRaces::remember_atomic(const Event& event, Epoch now, const VectorClock& P) {
  Silent unordered;
  if (event.kind == EventKind::AtomicLoad)
    atomics_.read(event, now, P, unordered);
  else
    atomics_.write(event, now, P, unordered);
  loose_ = unordered.raced;
}

void CausalRaces::lifetime(const Event& event) {
  if (event.kind == EventKind::Split) {
    history_.split(event);
    atomics_.split(event);
  } else {
    history_.retire(event);
    atomics_.retire(event);
  }
}

void CausalRaces::report(const First& first, std::span<const Event> parts, bool also_hb, bool continues,
                         std::optional<std::uint64_t> address) {
  const auto second = std::ranges::find_if(
      parts, [&](const Event& part) { return is_access(part.kind) && part.variable() == first.variable; });
  const bool first_of_all = !std::exchange(found_, true);
  const bool promised = nested_ && !loose_ && (first_of_all || (continues && exact_));
  constexpr std::string_view kAlsoHb =
      "a correct reordering has this race or a deadlock; nothing orders the two accesses in the recorded run "
      "either";
  constexpr std::string_view kHidden =
      "a correct reordering has this race or a deadlock; in the recorded run only the order of lock "
      "operations hides it";
  const std::array events = {first.access, Involved(*second)};
  sink_->report({.kind = FindingKind::Race,
                 .verdict = promised ? Verdict::Predicted : Verdict::Suspected,
                 .analysis = analysis_,
                 .guarantee = !promised ? std::string_view()
                              : also_hb ? kAlsoHb
                                        : kHidden,
                 .variable = first.variable,
                 .events = events,
                 .or_deadlock = promised && !also_hb,
                 .address = address});
}

}  // namespace ravel
