#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "support/detect.h"
#include "support/filters.h"
#include "support/naive_closure.h"
#include "support/properties.h"
#include "witness/oracle.h"

namespace ravel {
namespace {

/// Everything that a correct reordering keeps in order.
TraceShape everything(std::uint64_t seed, std::uint32_t events) {
  const auto one_in = [seed](std::uint64_t n, std::uint64_t m) { return mix(seed, n) % m == 0; };
  TraceShape shape;
  shape.threads = 2 + static_cast<std::uint32_t>(mix(seed, 10) % 3);
  shape.events = events;
  shape.locks = 1 + static_cast<std::uint32_t>(mix(seed, 24) % 3);
  shape.locks_held = shape.locks;
  shape.variables = 1 + static_cast<std::uint32_t>(mix(seed, 12) % 3);
  shape.nested_releases = one_in(13, 2);
  shape.open_sections = !one_in(25, 4);
  shape.reader_locks = one_in(14, 3);
  shape.forks = one_in(15, 3);
  shape.units = one_in(16, 8);
  shape.atomics = one_in(17, 3);
  shape.barriers = one_in(18, 6);
  shape.blocks = one_in(19, 4);
  shape.requests = one_in(20, 4);
  shape.widths = one_in(21, 4);
  shape.waits = one_in(23, 6);
  return shape;
}
TraceShape long_one(std::uint64_t seed) {
  return everything(seed, 8 + static_cast<std::uint32_t>(mix(seed, 11) % 40));
}
TraceShape for_the_oracle(std::uint64_t seed) {
  return everything(seed, 8 + static_cast<std::uint32_t>(mix(seed, 11) % 7));
}
TraceShape tiny(std::uint64_t seed) {
  TraceShape shape = everything(seed, 5 + static_cast<std::uint32_t>(mix(seed, 11) % 5));
  shape.threads = 2 + static_cast<std::uint32_t>(mix(seed, 10) % 2);
  return shape;
}
/// Long enough for checkpoints.
TraceShape longer(std::uint64_t seed) {
  TraceShape shape = everything(seed, 90);
  shape.variables = 2;
  return shape;
}
Races reported(const SmallTrace& trace, std::string_view analysis) {
  MemoryReader reader = reader_of(trace, 3);
  Races races;
  for (const Detected& detected : detect(reader, analysis))
    races.emplace(detected.events.front(), detected.events.back());
  return races;
}

Outcome same(const Races& found, const Races& defined) {
  Outcome outcome{!defined.empty(), std::nullopt};
  for (const auto& [first, second] : found)
    if (!defined.contains({first, second})) outcome.failure = fmt::format("reports {} and {}", first, second);
  for (const auto& [first, second] : defined)
    if (!found.contains({first, second})) outcome.failure = fmt::format("misses {} and {}", first, second);
  return outcome;
}

Outcome syncp_is_its_definition(const SmallTrace& trace) {
  return same(reported(trace, "syncp"), sync_preserving_races(trace));
}

Outcome syncp_finds_its_class(const SmallTrace& trace) {
  if (trace.events.size() > 11) return {};
  return same(reported(trace, "syncp"), races_of_sync_preserving_reorderings(trace));
}

/// Real programs do the same again and again: pairs of places count.
Outcome syncp_misses_no_pair_of_places(const SmallTrace& original) {
  SmallTrace trace = original;
  for (Event& event : trace.events) event.place = PlaceId(event.place.value % 5);
  using Side = std::pair<std::uint32_t, EventKind>;
  const auto places = [&](const Races& races) {
    std::set<std::pair<Side, Side>> result;
    for (const auto& [first, second] : races) {
      const auto side = [&](std::uint64_t position) {
        const Event& event = trace.events[*trace.index_of(position)];
        // Freeing memory is a write to it.
        return Side(event.place.value, event.kind == EventKind::Free ? EventKind::Write : event.kind);
      };
      const Side a = side(first), b = side(second);
      result.emplace(std::min(a, b), std::max(a, b));
    }
    return result;
  };
  const Races defined = sync_preserving_races(trace);
  const Races found = reported(trace, "syncp");
  Outcome outcome{!defined.empty(), std::nullopt};
  if (!std::ranges::includes(defined, found)) outcome.failure = "reports a pair that is no race";
  if (places(found) != places(defined))
    outcome.failure =
        fmt::format("reports {} of {} pairs of places", places(found).size(), places(defined).size());
  return outcome;
}

Outcome are_real(const Races& races, const SmallTrace& trace) {
  if (races.empty()) return {};
  const auto oracle = Oracle::explore(trace);
  if (!oracle) return {true, oracle.error().text()};
  for (const auto& [first, second] : races) {
    const auto witness = oracle->predictable_race(first, second);
    if (!witness)
      return {true, fmt::format("no correct reordering shows the race of {} and {}", first, second)};
    if (const auto checked = check_race(trace, *witness); !checked)
      return {true, fmt::format("the checker rejects the oracle: {}", checked.error().text())};
  }
  return {true, std::nullopt};
}

Outcome all_syncp_races_are_real(const SmallTrace& trace) {
  return are_real(reported(trace, "syncp"), trace);
}

Outcome syncp_survives_segment_filter(const SmallTrace& trace) {
  const Filtered filtered = segment_filter(trace);
  Races originals;
  for (const auto& [first, second] : reported(filtered.trace, "syncp"))
    originals.emplace(filtered.original[first - 1], filtered.original[second - 1]);
  return are_real(originals, trace);
}

}  // namespace

std::span<const Property> sync_properties() {
  static constexpr std::array kProperties = {
      Property{"SyncpIsItsDefinition", "syncp reports exactly the pairs whose closure has neither", long_one,
               syncp_is_its_definition, 2},
      Property{"SyncpIsItsDefinitionInLongTraces", "the same in traces of about 90 events", longer,
               syncp_is_its_definition, 50},
      Property{"SyncpMissesNoPairOfPlaces", "the same by place where places repeat", long_one,
               syncp_misses_no_pair_of_places, 2},
      Property{"AllSyncpRacesAreReal", "a correct reordering shows every race of syncp", for_the_oracle,
               all_syncp_races_are_real, 2},
      Property{"SyncpFindsItsClass",
               "syncp reports exactly what reorderings that keep the order of sections show", tiny,
               syncp_finds_its_class, 8},
      Property{"SyncpSurvivesTheSegmentFilter",
               "what syncp reports of a filtered trace is real in the whole one", for_the_oracle,
               syncp_survives_segment_filter, 2},
  };
  return kProperties;
}

}  // namespace ravel
