#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "support/detect.h"
#include "support/filters.h"
#include "support/naive.h"
#include "support/properties.h"
#include "witness/oracle.h"

namespace ravel {
namespace {

/// Everything that can order accesses.
TraceShape any_synchronization(std::uint64_t seed) {
  const auto chance = [seed](std::uint64_t n) { return mix(seed, n) % 2 == 0; };
  TraceShape shape;
  shape.threads = 2 + static_cast<std::uint32_t>(mix(seed, 10) % 3);
  shape.events = 10 + static_cast<std::uint32_t>(mix(seed, 11) % 40);
  shape.variables = 1 + static_cast<std::uint32_t>(mix(seed, 12) % 3);
  shape.nested_releases = chance(13);
  shape.reader_locks = chance(14);
  shape.forks = chance(15);
  shape.units = chance(16);
  shape.atomics = chance(17);
  shape.barriers = chance(18);
  shape.blocks = chance(19);
  shape.requests = chance(20);
  shape.widths = chance(21);
  shape.values = chance(22);
  return shape;
}

/// Few accesses without the variable's lock.
TraceShape guarded(std::uint64_t seed) {
  TraceShape shape = any_synchronization(seed);
  shape.guarded = true;
  shape.threads = 2 + static_cast<std::uint32_t>(mix(seed, 10) % 6);
  shape.events *= 2;
  return shape;
}

/// Few enough events for the oracle, and only what the theorems are about.
TraceShape locks_and_forks(std::uint64_t seed) {
  const auto chance = [seed](std::uint64_t n) { return mix(seed, n) % 2 == 0; };
  TraceShape shape;
  shape.threads = 2 + static_cast<std::uint32_t>(mix(seed, 10) % 2);
  shape.events = 8 + static_cast<std::uint32_t>(mix(seed, 11) % 6);
  shape.nested_releases = chance(13);
  shape.reader_locks = chance(14);
  shape.forks = chance(15);
  shape.units = mix(seed, 16) % 4 == 0;
  shape.widths = mix(seed, 21) % 4 == 0;
  return shape;
}

/// As locks_and_forks, with everything else whose order a correct reordering keeps.
TraceShape oracle_with_atomics(std::uint64_t seed) {
  TraceShape shape = locks_and_forks(seed);
  shape.atomics = true;
  shape.barriers = mix(seed, 18) % 4 == 0;
  return shape;
}

Races reported(const SmallTrace& trace, std::string_view analysis) {
  // Small batches, so that state must survive from one to the next.
  MemoryReader reader = reader_of(trace, 3);
  Races races;
  for (const Detected& detected : detect(reader, analysis))
    races.emplace(detected.events.front(), detected.events.back());
  return races;
}

std::set<std::uint64_t> second_events(const Races& races) {
  std::set<std::uint64_t> seconds;
  for (const auto& [first, second] : races) seconds.insert(second);
  return seconds;
}

Outcome matches_definition(const Races& found, const Races& defined) {
  Outcome outcome{!defined.empty(), std::nullopt};
  for (const auto& [first, second] : found)
    if (!defined.contains({first, second}))
      outcome.failure = fmt::format("reports {} and {}, which are ordered or do not clash", first, second);
  const auto found_seconds = second_events(found);
  for (const std::uint64_t second : second_events(defined))
    if (!found_seconds.contains(second))
      outcome.failure = fmt::format("misses all races of event {}", second);
  return outcome;
}

/// Whether the oracle and the checker agree that the pair is a real race.
std::optional<std::string> not_predictable(const SmallTrace& trace, const Oracle& oracle, std::uint64_t first,
                                           std::uint64_t second) {
  const auto witness = oracle.predictable_race(first, second);
  if (!witness) return fmt::format("no correct reordering shows the race of {} and {}", first, second);
  if (const auto checked = check_race(trace, *witness); !checked)
    return fmt::format("the checker rejects the oracle: {}", checked.error().text());
  return std::nullopt;
}

Outcome hb_is_its_definition(const SmallTrace& trace) {
  return matches_definition(reported(trace, "hb"), happens_before_races(trace));
}

Outcome shb_is_its_definition(const SmallTrace& trace) {
  return matches_definition(reported(trace, "shb"), schedulable_races(trace));
}

Outcome first_hb_race_is_real(const SmallTrace& trace) {
  const Races races = reported(trace, "hb");
  if (races.empty()) return {};
  const auto oracle = Oracle::explore(trace);
  if (!oracle) return {true, oracle.error().text()};
  const std::uint64_t first_second = *second_events(races).begin();
  for (const auto& [first, second] : races)
    if (second == first_second)
      if (auto failure = not_predictable(trace, *oracle, first, second)) return {true, failure};
  return {true, std::nullopt};
}

Outcome all_shb_races_are_real(const SmallTrace& trace) {
  const Races races = reported(trace, "shb");
  if (races.empty()) return {};
  const auto oracle = Oracle::explore(trace);
  if (!oracle) return {true, oracle.error().text()};
  for (const auto& [first, second] : races)
    if (auto failure = not_predictable(trace, *oracle, first, second)) return {true, failure};
  return {true, std::nullopt};
}

/// On a trace that a recorder filtered the analysis blames the same second events.
Outcome survives(const SmallTrace& trace, const Filtered& filtered, std::string_view analysis) {
  const Races whole = reported(trace, analysis);
  Outcome outcome{!whole.empty() && filtered.dropped > 0, std::nullopt};
  std::set<std::uint64_t> expected;
  for (const std::uint64_t second : second_events(whole))
    expected.insert(filtered.stands_for[*trace.index_of(second)]);
  std::set<std::uint64_t> found;
  for (const auto& [first, second] : reported(filtered.trace, analysis))
    found.insert(filtered.original[second - 1]);
  if (found != expected) {
    outcome.failure = fmt::format("{} blames events {} of the whole trace, but {} of the filtered one",
                                  analysis, fmt::join(expected, " "), fmt::join(found, " "));
  }
  return outcome;
}

/// What hb reports of a trace that a recorder filtered, in positions of the whole one.
Races reported_when(const Filtered& filtered) {
  Races races;
  for (const auto& [first, second] : reported(filtered.trace, "hb"))
    races.emplace(filtered.original[first - 1], filtered.original[second - 1]);
  return races;
}

std::optional<std::string> has_false_race(const Races& found, const Races& defined) {
  for (const auto& [first, second] : found)
    if (!defined.contains({first, second})) return fmt::format("a false race of {} and {}", first, second);
  return std::nullopt;
}

/// A byte of memory, and how often it was allocated or freed before.
using Byte = std::pair<std::uint64_t, std::size_t>;

/// The second event of the first race of every byte that has one.
std::map<Byte, std::uint64_t> first_seconds(const SmallTrace& trace, const Races& races) {
  std::map<Byte, std::uint64_t> firsts;
  for (const auto& [first, second] : races) {
    const Event &a = trace.events[*trace.index_of(first)], &b = trace.events[*trace.index_of(second)];
    const std::uint64_t end = std::min(a.target + a.width, b.target + b.width);
    for (std::uint64_t byte = std::max(a.target, b.target); byte < end; ++byte) {
      const auto lives = std::ranges::count_if(trace.events, [&](const Event& event) {
        return is_block(event) && event.position < second && byte - event.target < event.width;
      });
      std::uint64_t& known = firsts.try_emplace({byte, lives}, second).first->second;
      known = std::min(known, second);
    }
  }
  return firsts;
}

/// A write that races takes the place of what it races with; so later races may be missing.
Outcome first_hb_races_survive_owner_filter(const SmallTrace& trace) {
  const Filtered filtered = owner_filter(trace);
  const Races defined = happens_before_races(trace), found = reported_when(filtered);
  Outcome outcome{!defined.empty() && filtered.dropped > 0, has_false_race(found, defined)};
  const auto expected = first_seconds(trace, defined), blamed = first_seconds(trace, found);
  for (const auto& [byte, second] : expected) {
    const auto blamed_here = blamed.find(byte);
    if (blamed_here == blamed.end())
      outcome.failure =
          fmt::format("hb misses all races of {:#x}; the first is of event {}", byte.first, second);
    else if (blamed_here->second != second)
      outcome.failure =
          fmt::format("hb blames {} first for {:#x}, and not {}", blamed_here->second, byte.first, second);
  }
  return outcome;
}

Outcome hb_survives_segment_filter(const SmallTrace& trace) {
  const Filtered filtered = segment_filter(trace);
  Outcome outcome = survives(trace, filtered, "hb");
  if (auto failure = has_false_race(reported_when(filtered), happens_before_races(trace)))
    outcome.failure = failure;
  return outcome;
}
Outcome lockset_survives_segment_filter(const SmallTrace& trace) {
  return survives(trace, segment_filter(trace), "lockset");
}

}  // namespace

std::span<const Property> race_properties() {
  static constexpr std::array kProperties = {
      Property{"HbIsItsDefinition", "hb reports only pairs its definition has, and every second event of one",
               any_synchronization, hb_is_its_definition},
      Property{"ShbIsItsDefinition",
               "shb reports only pairs its definition has, and every second event of one",
               any_synchronization, shb_is_its_definition},
      Property{"FirstHbRaceIsReal", "a correct reordering shows the first race of hb", locks_and_forks,
               first_hb_race_is_real},
      Property{"AllShbRacesAreReal", "a correct reordering shows every race of shb", locks_and_forks,
               all_shb_races_are_real},
      Property{"AllShbRacesAreRealWithAtomics", "the same with atomics, fences and barriers",
               oracle_with_atomics, all_shb_races_are_real},
      Property{"FirstHbRacesSurviveTheOwnerFilter",
               "for every variable hb blames the same event first when a recorder filtered by ownership, and "
               "later ones only if they race in the whole trace",
               any_synchronization, first_hb_races_survive_owner_filter},
      Property{"FirstHbRacesOfGuardedSurviveTheOwnerFilter", "the same if most accesses are under locks",
               guarded, first_hb_races_survive_owner_filter},
      Property{
          "HbSurvivesTheSegmentFilter",
          "hb reports the same second events, and real pairs only, when a recorder dropped repetitions at "
          "one local time",
          any_synchronization, hb_survives_segment_filter},
      Property{"LocksetSurvivesTheSegmentFilter",
               "lockset reports the same second events when a recorder dropped repetitions",
               any_synchronization, lockset_survives_segment_filter},
  };
  return kProperties;
}

}  // namespace ravel
