#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analysis/cp.h"
#include "analysis/mb.h"
#include "analysis/wcp.h"
#include "support/detect.h"
#include "support/filters.h"
#include "support/naive_predictive.h"
#include "support/properties.h"
#include "witness/oracle.h"

namespace ravel {
namespace {

bool chance(std::uint64_t seed, std::uint64_t n, std::uint64_t in = 2) { return mix(seed, n) % in == 0; }

/// Sections above all, and what else can order accesses.
TraceShape sections_and_more(std::uint64_t seed) {
  TraceShape shape;
  shape.threads = 2 + static_cast<std::uint32_t>(mix(seed, 10) % 3);
  shape.events = 10 + static_cast<std::uint32_t>(mix(seed, 11) % 40);
  shape.variables = 1 + static_cast<std::uint32_t>(mix(seed, 12) % 5);
  shape.locks = chance(seed, 22, 4) ? 1 : 2 + static_cast<std::uint32_t>(mix(seed, 23) % 3);
  shape.locks_held = 2 + static_cast<std::uint32_t>(mix(seed, 24) % 2);
  shape.nested_releases = chance(seed, 13);
  shape.open_sections = chance(seed, 25);
  shape.reader_locks = chance(seed, 14);
  shape.forks = chance(seed, 15);
  shape.atomics = chance(seed, 17, 4);
  shape.barriers = chance(seed, 18, 4);
  shape.blocks = chance(seed, 19, 4);
  shape.widths = chance(seed, 21, 4);
  return shape;
}

/// Few accesses without the variable's lock, so that much is ordered before the first race.
TraceShape guarded(std::uint64_t seed) {
  TraceShape shape = sections_and_more(seed);
  shape.guarded = true;
  shape.threads = 2 + static_cast<std::uint32_t>(mix(seed, 10) % 6);
  shape.events *= 2;
  return shape;
}

TraceShape short_sections(std::uint64_t seed) {
  TraceShape shape = sections_and_more(seed);
  shape.events = std::min(shape.events, 24U);
  return shape;
}

TraceShape closed_and_exclusive(std::uint64_t seed) {
  TraceShape shape = sections_and_more(seed);
  shape.reader_locks = shape.open_sections = false;
  shape.barriers = false;  // cp and wcp know more of them than hb
  return shape;
}

/// One lock, and few accesses without it, so that a race comes late.
TraceShape few_races(std::uint64_t seed) {
  TraceShape shape;
  shape.threads = 2;
  shape.locks = 1;
  shape.guarded = true;
  shape.events = 40 + static_cast<std::uint32_t>(mix(seed, 11) % 30);
  shape.variables = 4 + static_cast<std::uint32_t>(mix(seed, 12) % 8);
  shape.reader_locks = chance(seed, 14, 4);
  return shape;
}

/// Few enough events for the oracle.
TraceShape predictable(std::uint64_t seed) {
  TraceShape shape;
  shape.threads = 2 + static_cast<std::uint32_t>(mix(seed, 10) % 3);
  shape.events = 8 + static_cast<std::uint32_t>(mix(seed, 11) % 17);
  shape.variables = 1 + static_cast<std::uint32_t>(mix(seed, 12) % 3);
  shape.locks = chance(seed, 22, 4) ? 1 : 2 + static_cast<std::uint32_t>(mix(seed, 23) % 2);
  shape.locks_held = 2 + static_cast<std::uint32_t>(mix(seed, 24) % 2);
  shape.nested_releases = !chance(seed, 13, 4);
  shape.open_sections = chance(seed, 25);
  shape.reader_locks = chance(seed, 14, 4);
  shape.forks = chance(seed, 15);
  shape.widths = chance(seed, 21, 8);
  return shape;
}

TraceShape predictable_with_more(std::uint64_t seed) {
  TraceShape shape = predictable(seed);
  shape.atomics = chance(seed, 17);
  shape.barriers = chance(seed, 18, 4);
  shape.waits = chance(seed, 26);
  return shape;
}

TraceShape predictable_and_guarded(std::uint64_t seed) {
  TraceShape shape = predictable_with_more(seed);
  shape.guarded = true;
  return shape;
}

TraceShape predictable_with_tries(std::uint64_t seed) {
  TraceShape shape = predictable(seed);
  shape.tries = true;
  return shape;
}

// Windows as short as they can be, so that state must survive from one to the next.
constexpr CpOptions kCp{.min_window = 1}, kRawCp{.continuation = false, .min_window = 1},
    kCpInShortWindows{.min_window = 1, .max_window = 4};
constexpr MbOptions kMb{.min_events = 1}, kOnlyMb{.embedded_hb = false, .min_events = 1},
    kMbInShortWindows{.embedded_hb = false, .min_events = 1, .max_events = 4};

std::vector<Detected> run(const SmallTrace& trace, std::unique_ptr<Analysis> analysis) {
  // Small batches, so that state must survive from one to the next.
  MemoryReader reader = reader_of(trace, 3);
  return detect(reader, std::move(analysis));
}

Races pairs(const std::vector<Detected>& detected) {
  Races races;
  for (const Detected& each : detected) races.emplace(each.events.front(), each.events.back());
  return races;
}

std::set<std::uint64_t> seconds(const Races& races) {
  std::set<std::uint64_t> second;
  for (const auto& [a, b] : races) second.insert(b);
  return second;
}

Outcome matches_definition(const Races& found, const Races& defined) {
  Outcome outcome{!defined.empty(), std::nullopt};
  for (const auto& [first, second] : found)
    if (!defined.contains({first, second}))
      outcome.failure = fmt::format("reports {} and {}, which are ordered or do not clash", first, second);
  const auto found_seconds = seconds(found);
  for (const std::uint64_t second : seconds(defined))
    if (!found_seconds.contains(second))
      outcome.failure = fmt::format("misses all races of event {}", second);
  return outcome;
}

/// Every `predicted` race is one of a correct reordering, or there is a deadlock.
Outcome promises_hold(const SmallTrace& trace, const std::vector<Detected>& detected) {
  const auto predicted = [](const Detected& each) { return each.verdict == Verdict::Predicted; };
  if (std::ranges::none_of(detected, predicted)) return {};
  const auto oracle = Oracle::explore(trace);
  if (!oracle) return {true, oracle.error().text()};
  const auto deadlock = oracle->predictable_deadlock(DeadlockWaits::LocksAndJoins);
  for (const Detected& each : detected) {
    if (!predicted(each)) continue;
    if (const auto witness = oracle->predictable_race(each.events.front(), each.events.back())) {
      if (const auto checked = check_race(trace, *witness); !checked)
        return {true, fmt::format("the checker rejects the oracle: {}", checked.error().text())};
    } else if (!deadlock) {
      return {true, fmt::format("no correct reordering has the race of {} and {}, or a deadlock",
                                each.events.front(), each.events.back())};
    } else if (const auto checked = check_deadlock(trace, *deadlock, DeadlockWaits::LocksAndJoins);
               !checked) {
      return {true, fmt::format("the checker rejects the deadlock: {}", checked.error().text())};
    }
  }
  return {true, std::nullopt};
}

/// With a race there is a first one, and it is predicted if the locks are released in nested order.
std::optional<std::string> first_is_not(Verdict verdict, const std::vector<Detected>& detected) {
  if (detected.empty() || detected.front().verdict == verdict) return std::nullopt;
  return fmt::format("the first race, {} and {}, is {}", detected.front().events.front(),
                     detected.front().events.back(), to_string(detected.front().verdict));
}

bool only_nested_locks(const SmallTrace& trace) {
  std::map<ThreadId, std::vector<std::uint64_t>> held;
  for (const Event& event : trace.events) {
    if (is_atomic(event.kind)) return false;
    if (is_acquire(event.kind)) held[event.thread].push_back(event.target);
    if (!is_release(event.kind)) continue;
    if (held[event.thread].back() != event.target) return false;
    held[event.thread].pop_back();
  }
  return true;
}

Outcome cp_is_its_definition(const SmallTrace& trace) {
  return matches_definition(pairs(run(trace, make_cp(kRawCp))), causally_precedes_races(trace));
}

/// The second events and the threads of the first ones, in the order in which they were found: of accesses at
/// one local time any may be named.
Outcome continues_like(const std::vector<Detected>& detected,
                       const std::vector<std::pair<std::uint64_t, std::uint64_t>>& defined,
                       const SmallTrace& trace) {
  const auto thread = [&](std::uint64_t position) {
    return trace.events[*trace.index_of(position)].thread.value;
  };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found, expected;
  for (const Detected& each : detected) found.emplace_back(thread(each.events.front()), each.events.back());
  for (const auto& [first, second] : defined) expected.emplace_back(thread(first), second);
  Outcome outcome{defined.size() > 1, std::nullopt};
  if (found != expected)
    outcome.failure =
        fmt::format("finds (thread, event) {}, and not {}", fmt::join(found, " "), fmt::join(expected, " "));
  return outcome;
}

Outcome cp_continues_like_its_definition(const SmallTrace& trace) {
  return continues_like(run(trace, make_cp(kCp)), causally_precedes_races_one_by_one(trace), trace);
}

Outcome wcp_is_its_definition(const SmallTrace& trace) {
  return matches_definition(pairs(run(trace, make_wcp({.continuation = false}))),
                            weakly_causally_precedes_races(trace));
}

Outcome wcp_continues_like_its_definition(const SmallTrace& trace) {
  return continues_like(run(trace, make_wcp({})), weakly_causally_precedes_races_one_by_one(trace), trace);
}

Outcome promises_hold(const SmallTrace& trace, const std::vector<Detected>& detected, const Races& defined) {
  Outcome outcome = promises_hold(trace, detected);
  if (outcome.failure) return outcome;
  if (only_nested_locks(trace)) outcome.failure = first_is_not(Verdict::Predicted, detected);
  for (const auto& [first, second] : pairs(detected))
    if (!defined.contains({first, second}))
      outcome.failure = fmt::format("reports {} and {}, which are ordered", first, second);
  // The definition does not know of waits.
  const bool waits = std::ranges::any_of(
      trace.events, [](const Event& event) { return event.kind == EventKind::WaitBegin; });
  if (!defined.empty() && detected.empty() && !waits) outcome.failure = "reports none of the races";
  return outcome;
}

Outcome cp_promises_hold(const SmallTrace& trace) {
  return promises_hold(trace, run(trace, make_cp(kCp)), causally_precedes_races(trace));
}

Outcome wcp_promises_hold(const SmallTrace& trace) {
  return promises_hold(trace, run(trace, make_wcp({})), weakly_causally_precedes_races(trace));
}

Outcome cp_promises_hold_in_short_windows(const SmallTrace& trace) {
  Outcome outcome = promises_hold(trace, run(trace, make_cp(kCpInShortWindows)));
  return outcome;
}

Outcome cp_promises_hold_with_tries(const SmallTrace& trace) {
  return promises_hold(trace, run(trace, make_cp(kCp)));
}
Outcome wcp_promises_hold_with_tries(const SmallTrace& trace) {
  return promises_hold(trace, run(trace, make_wcp({})));
}

Outcome promises_hold_when(const SmallTrace& trace, const Filtered& filtered,
                           std::unique_ptr<Analysis> analysis) {
  std::vector<Detected> detected = run(filtered.trace, std::move(analysis));
  for (Detected& each : detected)
    for (std::uint64_t& position : each.events) position = filtered.original[position - 1];
  return promises_hold(trace, detected);
}

Outcome cp_promises_hold_when_filtered(const SmallTrace& trace) {
  return promises_hold_when(trace, owner_filter(trace), make_cp(kCp));
}
Outcome wcp_promises_hold_when_filtered(const SmallTrace& trace) {
  return promises_hold_when(trace, owner_filter(trace), make_wcp({}));
}
Outcome cp_promises_hold_without_repetitions(const SmallTrace& trace) {
  return promises_hold_when(trace, segment_filter(trace), make_cp(kCp));
}
Outcome wcp_promises_hold_without_repetitions(const SmallTrace& trace) {
  return promises_hold_when(trace, segment_filter(trace), make_wcp({}));
}

/// An access that was reported late may have come before or after a race of the same time, so only the first
/// race is sure to be found. `instead`: what may be blamed first instead of the right event, if it is
/// earlier.
Outcome first_race_survives_owner_filter(const SmallTrace& trace, std::string_view analysis,
                                         Races (*instead)(const SmallTrace& trace)) {
  const Filtered filtered = owner_filter(trace);
  const std::vector<Detected> whole = run(trace, find_analyses(analysis)->front()->make()),
                              left = run(filtered.trace, find_analyses(analysis)->front()->make());
  constexpr std::uint64_t kNone = UINT64_MAX;
  const std::uint64_t expected =
      whole.empty() ? kNone : filtered.stands_for[*trace.index_of(whole.front().events.back())];
  const std::uint64_t found = left.empty() ? kNone : filtered.original[left.front().events.back() - 1];
  const bool allowed = instead != nullptr && found < expected && seconds(instead(trace)).contains(found);
  Outcome outcome{!whole.empty() && filtered.dropped > 0, std::nullopt};
  if (found != expected && !allowed) {
    outcome.failure = whole.empty() || left.empty()
                          ? fmt::format("{} races in the whole trace, and {} in the filtered one",
                                        whole.size(), left.size())
                          : fmt::format("blames {} first, and not {}", found, expected);
  }
  return outcome;
}

/// A section whose clashing access is not the last one of its thread does not clash any more, nor one that
/// writes again what the thread wrote before it; what the clash would have ordered may race. Weak
/// causally-precedes has that race, too.
Outcome first_cp_race_survives_owner_filter(const SmallTrace& trace) {
  return first_race_survives_owner_filter(trace, "cp", weakly_causally_precedes_races);
}
Outcome first_wcp_race_survives_owner_filter(const SmallTrace& trace) {
  return first_race_survives_owner_filter(trace, "wcp", nullptr);
}

Outcome mb_is_its_definition(const SmallTrace& trace) {
  return matches_definition(pairs(run(trace, make_mb(kOnlyMb))), must_before_races(trace));
}

/// An order that is found too late makes a race too many.
Outcome mb_misses_nothing_in_short_windows(const SmallTrace& trace) {
  const auto found = seconds(pairs(run(trace, make_mb(kMbInShortWindows))));
  const auto expected = seconds(must_before_races(trace));
  Outcome outcome{!expected.empty(), std::nullopt};
  if (!std::ranges::includes(found, expected))
    outcome.failure = fmt::format("blames {}, and not {}", fmt::join(found, " "), fmt::join(expected, " "));
  return outcome;
}

Outcome mb_reports_hb_races(const SmallTrace& trace) {
  const auto found = seconds(pairs(run(trace, make_mb(kMb))));
  std::set<std::uint64_t> expected = seconds(must_before_races(trace));
  expected.merge(seconds(happens_before_races(trace)));
  Outcome outcome{!expected.empty(), std::nullopt};
  if (found != expected)
    outcome.failure = fmt::format("blames {}, and not {}", fmt::join(found, " "), fmt::join(expected, " "));
  return outcome;
}

/// Of the run before its first race: after one, and after a race of its own, must-before takes also those
/// accesses for orders that the filter drops.
Outcome first_mb_race_survives_segment_filter(const SmallTrace& run_with_races) {
  SmallTrace trace = run_with_races;
  if (const auto races = seconds(happens_before_races(trace)); !races.empty())
    trace.events.resize(*trace.index_of(*races.begin()));
  const Filtered filtered = segment_filter(trace);
  const auto whole = seconds(pairs(run(trace, make_mb(kOnlyMb)))),
             left = seconds(pairs(run(filtered.trace, make_mb(kOnlyMb))));
  const std::uint64_t expected = whole.empty() ? 0 : filtered.stands_for[*trace.index_of(*whole.begin())],
                      found = left.empty() ? 0 : filtered.original[*left.begin() - 1];
  Outcome outcome{!whole.empty() && filtered.dropped > 0, std::nullopt};
  if (found != expected)
    outcome.failure =
        fmt::format("blames {} of the whole trace first, but {} of the filtered one", expected, found);
  return outcome;
}

Outcome races_grow(const SmallTrace& trace) {
  const Races hb = happens_before_races(trace), cp = causally_precedes_races(trace),
              wcp = weakly_causally_precedes_races(trace);
  Outcome outcome{!cp.empty(), std::nullopt};
  if (!std::ranges::includes(cp, hb)) outcome.failure = "cp does not have a race of hb";
  if (!std::ranges::includes(wcp, cp)) outcome.failure = "wcp does not have a race of cp";
  return outcome;
}

}  // namespace

std::span<const Property> predictive_properties() {
  static constexpr std::array kProperties = {
      Property{"CpIsItsDefinition",
               "cp without continuation reports only pairs its definition has, and every second event of one",
               sections_and_more, cp_is_its_definition},
      Property{"CpContinuesLikeItsDefinition",
               "cp finds one race after the other, each an edge for the next ones", short_sections,
               cp_continues_like_its_definition, 4},
      Property{"CpPromisesHold",
               "a correct reordering has every race that cp predicts, or a deadlock; the first is predicted",
               predictable, cp_promises_hold},
      Property{"CpPromisesHoldWithMore", "the same with atomics, barriers and waits", predictable_with_more,
               cp_promises_hold},
      Property{"CpPromisesHoldWithTries", "what is predicted holds, also if locks are only tried",
               predictable_with_tries, cp_promises_hold_with_tries},
      Property{"CpPromisesHoldInShortWindows", "the same when windows end before their sections do",
               predictable, cp_promises_hold_in_short_windows},
      Property{"CpPromisesHoldWhenFiltered", "the same when a recorder filtered by ownership", predictable,
               cp_promises_hold_when_filtered},
      Property{"CpPromisesHoldWhenFilteredWithMore", "the same with atomics, barriers and waits",
               predictable_with_more, cp_promises_hold_when_filtered},
      Property{"CpPromisesHoldWhenFilteredAndGuarded", "the same if most accesses are under locks",
               predictable_and_guarded, cp_promises_hold_when_filtered},
      Property{"CpPromisesHoldWithoutRepetitions",
               "the same when a recorder dropped repetitions at one local time", predictable_with_more,
               cp_promises_hold_without_repetitions},
      Property{
          "FirstCpRaceSurvivesTheOwnerFilter",
          "cp blames the same event first, or an earlier one of wcp, when a recorder filtered by ownership",
          sections_and_more, first_cp_race_survives_owner_filter},
      Property{"FirstCpRaceOfGuardedSurvivesTheOwnerFilter", "the same if most accesses are under locks",
               guarded, first_cp_race_survives_owner_filter},
      Property{"WcpIsItsDefinition", "as CpIsItsDefinition", sections_and_more, wcp_is_its_definition},
      Property{"WcpContinuesLikeItsDefinition", "as CpContinuesLikeItsDefinition", short_sections,
               wcp_continues_like_its_definition, 4},
      Property{"WcpPromisesHold", "as CpPromisesHold", predictable, wcp_promises_hold},
      Property{"WcpPromisesHoldWithMore", "as CpPromisesHoldWithMore", predictable_with_more,
               wcp_promises_hold},
      Property{"WcpPromisesHoldWithTries", "as CpPromisesHoldWithTries", predictable_with_tries,
               wcp_promises_hold_with_tries},
      Property{"WcpPromisesHoldWhenFiltered", "as CpPromisesHoldWhenFiltered", predictable,
               wcp_promises_hold_when_filtered},
      Property{"WcpPromisesHoldWhenFilteredWithMore", "as CpPromisesHoldWhenFilteredWithMore",
               predictable_with_more, wcp_promises_hold_when_filtered},
      Property{"WcpPromisesHoldWhenFilteredAndGuarded", "as CpPromisesHoldWhenFilteredAndGuarded",
               predictable_and_guarded, wcp_promises_hold_when_filtered},
      Property{"WcpPromisesHoldWithoutRepetitions", "as CpPromisesHoldWithoutRepetitions",
               predictable_with_more, wcp_promises_hold_without_repetitions},
      Property{"FirstWcpRaceSurvivesTheOwnerFilter",
               "wcp blames the same event first when a recorder filtered by ownership", sections_and_more,
               first_wcp_race_survives_owner_filter},
      Property{"FirstWcpRaceOfGuardedSurvivesTheOwnerFilter", "the same if most accesses are under locks",
               guarded, first_wcp_race_survives_owner_filter},
      Property{"MbIsItsDefinition", "mb reports only pairs its definition has, and every second event of one",
               sections_and_more, mb_is_its_definition},
      Property{"MbMissesNothingInShortWindows",
               "mb blames every second event of its definition also when it decides while sections are open",
               sections_and_more, mb_misses_nothing_in_short_windows},
      Property{"MbReportsHbRaces", "mb blames the events that must-before or happens-before blame",
               sections_and_more, mb_reports_hb_races, 2},
      Property{"FirstMbRaceSurvivesTheSegmentFilter",
               "mb blames the same event first when a recorder dropped repetitions in a run without races",
               few_races, first_mb_race_survives_segment_filter, 2},
      Property{"RacesGrow",
               "races of hb are races of cp, and these of wcp, if all sections are closed and exclusive",
               closed_and_exclusive, races_grow},
  };
  return kProperties;
}

}  // namespace ravel
