#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "analysis/chain.h"
#include "analysis/witness_search.h"
#include "event/check.h"
#include "support/detect.h"
#include "support/filters.h"
#include "support/naive_closure.h"
#include "support/properties.h"
#include "support/witness_runs.h"
#include "witness/fresh_memory.h"
#include "witness/oracle.h"
#include "witness/reordering.h"
#include "witness/witness.h"

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
  shape.tries = one_in(26, 4);
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
/// So many threads on so few variables that what is known of one pair of threads is used for others.
TraceShape crowded(std::uint64_t seed) {
  TraceShape shape = everything(seed, 40 + static_cast<std::uint32_t>(mix(seed, 11) % 41));
  shape.threads = 4 + static_cast<std::uint32_t>(mix(seed, 10) % 7);
  shape.locks = 2 + static_cast<std::uint32_t>(mix(seed, 24) % 3);
  shape.locks_held = 1 + static_cast<std::uint32_t>(mix(seed, 26) % 3);
  shape.variables = 1 + static_cast<std::uint32_t>(mix(seed, 12) % 3);
  return shape;
}
/// Many sections in sections, little else.
TraceShape nested(std::uint64_t seed) {
  const auto one_in = [seed](std::uint64_t n, std::uint64_t m) { return mix(seed, n) % m == 0; };
  TraceShape shape;
  shape.threads = one_in(10, 4) ? 3 : 2;
  shape.events = 20 + static_cast<std::uint32_t>(mix(seed, 11) % 13);
  shape.locks = one_in(24, 4) ? 3 : 2;
  shape.locks_held = shape.locks;
  shape.variables = one_in(12, 4) ? 1 : 0;
  shape.nested_releases = one_in(13, 2);
  shape.reader_locks = one_in(14, 4);
  shape.forks = one_in(15, 6);
  shape.requests = one_in(20, 4);
  shape.tries = one_in(26, 3);
  return shape;
}
/// Either.
TraceShape mixed(std::uint64_t seed) { return mix(seed, 30) % 2 == 0 ? nested(seed) : for_the_oracle(seed); }
/// What can be run again without values: locks, forks, joins and accesses, all threads forked.
TraceShape program(std::uint64_t seed) {
  TraceShape shape = mixed(seed);
  shape.forks = shape.open_sections = true;
  shape.requests = shape.waits = shape.barriers = shape.blocks = shape.units = false;
  shape.events += 4;
  return shape;
}
class NoSink final : public DetectionSink {
 public:
  void report(const Detection& /*detection*/) override {}
};
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
  return same(reported(trace, "syncp"), sync_preserving_races(with_fresh_memory(trace)));
}

Outcome syncp_finds_its_class(const SmallTrace& trace) {
  if (trace.events.size() > 11) return {};
  return same(reported(trace, "syncp"), races_of_sync_preserving_reorderings(with_fresh_memory(trace)));
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
  const Races defined = sync_preserving_races(with_fresh_memory(trace));
  const Races found = reported(trace, "syncp");
  Outcome outcome{!defined.empty(), std::nullopt};
  if (!std::ranges::includes(defined, found)) outcome.failure = "reports a pair that is no race";
  if (places(found) != places(defined))
    outcome.failure =
        fmt::format("reports {} of {} pairs of places", places(found).size(), places(defined).size());
  return outcome;
}

Outcome are_real(const Races& races, const SmallTrace& original) {
  if (races.empty()) return {};
  const SmallTrace trace = with_fresh_memory(original);
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

using Deadlocks = std::set<std::set<std::uint64_t>>;

/// The requests of each deadlock of that verdict.
Deadlocks deadlocks(const SmallTrace& trace, Verdict verdict) {
  MemoryReader reader = reader_of(trace, 3);
  Deadlocks result;
  for (const Detected& detected : detect(reader, "deadlock")) {
    if (detected.verdict != verdict) continue;
    std::set<std::uint64_t> requests;
    for (std::size_t i = 1; i < detected.events.size(); i += 2) requests.insert(detected.events[i]);
    result.insert(requests);
  }
  return result;
}

Outcome deadlock_is_its_definition(const SmallTrace& trace) {
  const Deadlocks found = deadlocks(trace, Verdict::Predicted);
  const Deadlocks defined = sync_preserving_deadlocks(with_fresh_memory(trace));
  Outcome outcome{!defined.empty(), std::nullopt};
  if (found != defined)
    outcome.failure =
        fmt::format("predicts {} deadlocks, the definition has {}", found.size(), defined.size());
  return outcome;
}

Outcome deadlocks_are_real_and_none_is_silent(const SmallTrace& trace) {
  const bool predicts = !deadlocks(trace, Verdict::Predicted).empty();
  const bool suspects = !deadlocks(trace, Verdict::Suspected).empty();
  const auto oracle = Oracle::explore(with_fresh_memory(trace));
  if (!oracle) return {};
  const auto witness = oracle->predictable_deadlock();
  if (predicts && !witness) return {true, "no correct reordering shows a deadlock"};
  if (witness && !predicts && !suspects) return {true, "says nothing of a deadlock"};
  return {witness.has_value(), std::nullopt};
}

/// All that syncp and deadlock predict.
std::vector<WitnessGoal> predictions(const SmallTrace& trace) {
  std::vector<WitnessGoal> goals;
  for (const auto& [first, second] : reported(trace, "syncp"))
    goals.push_back({WitnessGoal::Kind::Race, {first, second}});
  for (const auto& requests : deadlocks(trace, Verdict::Predicted))
    goals.push_back({WitnessGoal::Kind::Deadlock, {requests.begin(), requests.end()}});
  return goals;
}

std::vector<WitnessAnswer> build(TraceReader& trace, std::vector<WitnessTask> tasks, WitnessJudge judge) {
  std::vector<WitnessAnswer> answers;
  const auto built = build_witnesses(
      trace, std::move(tasks),
      [&](std::size_t, const WitnessAnswer& answer) -> Result<void> {
        answers.push_back(answer);
        return {};
      },
      judge);
  CHECK(built.has_value(), "a trace in memory can be read");
  return answers;
}

/// A checked witness for each; `slices`: not by the whole trace but by what judges it.
std::expected<std::vector<Witness>, std::string> witnesses(const SmallTrace& trace,
                                                           const std::vector<WitnessGoal>& goals,
                                                           WitnessJudge judge = WitnessJudge::Beginning) {
  MemoryReader reader = reader_of(trace, 3);
  std::vector<WitnessSearch::Found> cuts;
  std::vector<std::unique_ptr<Analysis>> search;
  search.push_back(std::make_unique<WitnessSearch>(goals, cuts));
  NoSink sink;
  if (auto run = run_chain(reader, search, sink); !run) return std::unexpected(run.error().text());
  std::vector<WitnessTask> tasks;
  for (std::size_t i = 0; i < goals.size(); ++i) {
    if (!cuts[i]) return std::unexpected(cuts[i].error());
    tasks.push_back({goals[i], *cuts[i]});
  }
  auto built = build(reader, std::move(tasks), judge);
  std::vector<Witness> all;
  for (auto& one : built) {
    if (!one) return std::unexpected(one.error().why);
    all.push_back(std::move(*one));
  }
  return all;
}

Outcome predictions_have_witnesses(const SmallTrace& trace) {
  const std::vector<WitnessGoal> goals = predictions(trace);
  if (goals.empty()) return {};
  const SmallTrace fresh = with_fresh_memory(trace);
  for (const WitnessJudge judge : {WitnessJudge::Beginning, WitnessJudge::Slice}) {
    const auto all = witnesses(trace, goals, judge);
    if (!all) return {true, all.error()};
    // A slice judges as the whole trace does.
    for (const Witness& witness : *all) {
      const bool race = witness.goal.kind == WitnessGoal::Kind::Race;
      if (race ? !check_race(fresh, witness.sequence) : !check_deadlock(fresh, witness.sequence))
        return {true, "the whole trace does not bear it out"};
    }
  }
  return {true, std::nullopt};
}

/// Cuts that are too short in one thread are not taken for witnesses, whichever way they are judged.
Outcome slices_judge_as_the_trace(const SmallTrace& trace) {
  const std::vector<WitnessGoal> goals = predictions(trace);
  if (goals.empty()) return {};
  const auto all = witnesses(trace, goals);
  if (!all) return {true, all.error()};
  for (const Witness& witness : *all) {
    for (std::uint32_t t = 0; t < 4; ++t) {
      WitnessTask task{witness.goal, {}};
      std::vector<std::uint64_t> own;
      for (const std::uint64_t position : witness.sequence) {
        if (std::ranges::find(witness.goal.events, position) != witness.goal.events.end()) continue;
        const Event& event = trace.events[*trace.index_of(position)];
        task.cut.resize(std::max(task.cut.size(), event.thread.index() + 1));
        task.cut[event.thread.index()] = position;
        if (event.thread.value == t) own.push_back(position);
      }
      if (own.empty()) continue;
      const std::size_t left = mix(witness.sequence.size(), t) % own.size();
      task.cut[t] = left == 0 ? 0 : own[left - 1];
      MemoryReader reader = reader_of(trace, 3);
      const WitnessAnswer whole = build(reader, {task}, WitnessJudge::Beginning).front();
      const WitnessAnswer slice = build(reader, {task}, WitnessJudge::Slice).front();
      if (whole.has_value() != slice.has_value())
        return {true,
                fmt::format("with less of thread {}: by the trace {}, by the slice {}", t,
                            whole ? "accepted" : whole.error().why, slice ? "accepted" : slice.error().why)};
    }
  }
  return {true, std::nullopt};
}

/// The witness of a race, as a trace of its own, has the race; that of a deadlock the deadlock.
Outcome witnesses_show_it(const SmallTrace& trace) {
  const std::vector<WitnessGoal> goals = predictions(trace);
  if (goals.empty()) return {};
  const auto all = witnesses(trace, goals);
  if (!all) return {true, all.error()};
  for (const Witness& witness : *all) {
    const auto reader = trace_of(witness_text(witness, "a test"));
    const auto read = collect(*reader, 1000);
    if (!read) return {true, read.error().text()};
    if (witness.goal.kind == WitnessGoal::Kind::Race) {
      const std::uint64_t last = read->events.back().position;
      if (!happens_before_races(*read).contains({last - 1, last}))
        return {true, "the race is not at its end"};
    } else if (std::ranges::none_of(read->events,
                                    [](const Event& event) {
                                      // Whether a request is a reader's is not in a trace.
                                      return event.kind == EventKind::AcquireShared;
                                    }) &&
               deadlocks(*read, Verdict::Observed).empty()) {
      return {true, "it does not end in a deadlock"};
    }
  }
  return {true, std::nullopt};
}

Outcome schedules_lead_there(const SmallTrace& original) {
  const SmallTrace trace = with_ordinals(original);
  // A schedule cannot name a thread that nobody forks.
  std::set<ThreadId> known;
  for (const Event& event : trace.events) {
    if (known.empty()) known.insert(event.thread);
    if (!known.contains(event.thread)) return {};
    if (event.kind == EventKind::Fork) known.insert(event.other_thread());
  }
  const std::vector<WitnessGoal> goals = predictions(trace);
  if (goals.empty()) return {};
  const auto all = witnesses(trace, goals);
  if (!all) return {true, all.error()};
  Outcome outcome;
  for (const Witness& witness : *all) {
    const auto schedule = witness_schedule(witness);
    if (!schedule) continue;  // a thread whose beginning is not in the trace
    outcome.exercised = true;
    const auto positions = run_under(trace, *schedule);
    std::vector<std::size_t> at;
    for (const std::uint64_t goal : witness.goal.events)
      at.push_back(static_cast<std::size_t>(std::ranges::find(positions, goal) - positions.begin()));
    if (witness.goal.kind == WitnessGoal::Kind::Race && (at[0] == positions.size() || at[0] + 1 != at[1]))
      outcome.failure = fmt::format("events {} are not side by side, but at {} of {}:\n{}",
                                    fmt::join(witness.goal.events, " and "), fmt::join(at, " and "),
                                    fmt::join(positions, " "), *schedule);
    if (witness.goal.kind == WitnessGoal::Kind::Deadlock &&
        std::ranges::any_of(at, [&](std::size_t one) { return one != positions.size(); }))
      outcome.failure =
          fmt::format("the run does not deadlock: {}\n{}", fmt::join(positions, " "), *schedule);
  }
  return outcome;
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
      Property{"SyncpIsItsDefinitionWithManyThreads", "the same with up to ten threads", crowded,
               syncp_is_its_definition, 50},
      Property{"SyncpMissesNoPairOfPlacesOfManyThreads", "the same by place where places repeat", crowded,
               syncp_misses_no_pair_of_places, 50},
      Property{"AllSyncpRacesAreReal", "a correct reordering shows every race of syncp", for_the_oracle,
               all_syncp_races_are_real, 2},
      Property{"SyncpFindsItsClass",
               "syncp reports exactly what reorderings that keep the order of sections show", tiny,
               syncp_finds_its_class, 8},
      Property{"SyncpSurvivesTheSegmentFilter",
               "what syncp reports of a filtered trace is real in the whole one", for_the_oracle,
               syncp_survives_segment_filter, 2},
      Property{"DeadlockIsItsDefinition", "deadlock predicts exactly the cycles whose closure has no request",
               nested, deadlock_is_its_definition, 2},
      Property{"DeadlocksAreReal",
               "a correct reordering shows a predicted deadlock; if one shows any, deadlock says something",
               nested, deadlocks_are_real_and_none_is_silent, 4},
      Property{"PredictionsHaveWitnesses", "the checker accepts a witness of all that is predicted", mixed,
               predictions_have_witnesses, 4},
      Property{"SlicesJudgeAsTheTrace",
               "a slice of the trace judges a cut that is too short as the trace does", for_the_oracle,
               slices_judge_as_the_trace, 8},
      Property{"WitnessesShowIt", "a witness read back as a trace has the race or the deadlock", mixed,
               witnesses_show_it, 8},
      Property{"SchedulesLeadThere",
               "a run under a witness' schedule has the events side by side, or deadlocks", program,
               schedules_lead_there, 4},
  };
  return kProperties;
}

}  // namespace ravel
