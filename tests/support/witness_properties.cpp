#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "support/naive.h"
#include "support/properties.h"
#include "witness/equivalents.h"
#include "witness/oracle.h"
#include "witness/reordering.h"
#include "witness/shrinker.h"

namespace ravel {
namespace {

using Sequence = std::vector<std::uint64_t>;

TraceShape everything(std::uint64_t seed, std::uint32_t events) {
  const auto chance = [seed](std::uint64_t n) { return mix(seed, n) % 3 == 0; };
  TraceShape shape;
  shape.threads = 2 + static_cast<std::uint32_t>(mix(seed, 10) % 2);
  shape.events = events;
  shape.variables = 1 + static_cast<std::uint32_t>(mix(seed, 12) % 2);
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
  shape.waits = chance(23);
  return shape;
}
TraceShape tiny(std::uint64_t seed) {
  TraceShape shape = everything(seed, 3 + static_cast<std::uint32_t>(mix(seed, 11) % 4));
  shape.open_sections = true;
  return shape;
}
TraceShape small(std::uint64_t seed) {
  return everything(seed, 6 + static_cast<std::uint32_t>(mix(seed, 11) % 7));
}
TraceShape long_one(std::uint64_t seed) { return everything(seed, 60); }

Outcome generated_is_well_formed(const SmallTrace& trace) {
  return {!trace.events.empty(), generator_rule_broken(trace)};
}

/// All correct reorderings, by trying every event after every one that the checker accepts.
void enumerate(const SmallTrace& trace, Sequence& sequence, std::set<Sequence>& all) {
  all.insert(sequence);
  for (const Event& event : trace.events) {
    sequence.push_back(event.position);
    if (check_reordering(trace, sequence)) enumerate(trace, sequence, all);
    sequence.pop_back();
  }
}

Outcome oracle_is_complete(const SmallTrace& trace) {
  if (trace.events.size() > 7) return {};
  const auto oracle = Oracle::explore(trace);
  if (!oracle) return {true, oracle.error().text()};
  std::set<Sequence> all;
  Sequence empty;
  enumerate(trace, empty, all);

  std::set<std::set<std::uint64_t>> enumerated, explored;
  std::set<std::pair<std::uint64_t, std::uint64_t>> races;
  bool deadlock = false, join_deadlock = false;
  for (const Sequence& sequence : all) {
    enumerated.insert({sequence.begin(), sequence.end()});
    deadlock |= check_deadlock(trace, sequence).has_value();
    join_deadlock |= check_deadlock(trace, sequence, DeadlockWaits::LocksAndJoins).has_value();
    for (const Event& a : trace.events)
      for (const Event& b : trace.events) {
        Sequence with_pair = sequence;
        with_pair.insert(with_pair.end(), {a.position, b.position});
        if (a.position < b.position && check_race(trace, with_pair)) races.emplace(a.position, b.position);
      }
  }
  oracle->for_each_reachable_state([&](const Oracle::State&, const Sequence& sequence) {
    explored.insert({sequence.begin(), sequence.end()});
    return true;
  });
  const auto predicted = oracle->predictable_races();
  Outcome outcome{all.size() > trace.events.size() + 1, std::nullopt};
  if (explored != enumerated)
    outcome.failure = fmt::format("the oracle reaches {} sets of events, enumeration {}", explored.size(),
                                  enumerated.size());
  else if (!std::ranges::equal(predicted, races))
    outcome.failure =
        fmt::format("the oracle has {} predictable races, enumeration {}", predicted.size(), races.size());
  else if (oracle->predictable_deadlock().has_value() != deadlock)
    outcome.failure = "oracle and enumeration differ about a deadlock";
  else if (oracle->predictable_deadlock(DeadlockWaits::LocksAndJoins).has_value() != join_deadlock)
    outcome.failure = "oracle and enumeration differ about a deadlock with joins";
  return outcome;
}

Outcome checker_accepts_oracle(const SmallTrace& trace) {
  const auto oracle = Oracle::explore(trace);
  if (!oracle) return {true, oracle.error().text()};
  Outcome outcome{oracle->states() > trace.events.size() + 1, std::nullopt};
  oracle->for_each_reachable_state([&](const Oracle::State&, const Sequence& sequence) {
    if (const auto checked = check_reordering(trace, sequence); !checked)
      outcome.failure = checked.error().text();
    return !outcome.failure;
  });
  for (const auto& [a, b] : oracle->predictable_races())
    if (const auto checked = check_race(trace, *oracle->predictable_race(a, b)); !checked)
      outcome.failure = checked.error().text();
  for (const DeadlockWaits waits : {DeadlockWaits::Locks, DeadlockWaits::LocksAndJoins})
    if (const auto sequence = oracle->predictable_deadlock(waits))
      if (const auto checked = check_deadlock(trace, *sequence, waits); !checked)
        outcome.failure = checked.error().text();
  return outcome;
}

/// Changes the trace's own order in ways that are wrong by definition.
Outcome checker_rejects_mutants(const SmallTrace& trace) {
  Outcome outcome;
  Sequence own;
  for (const Event& event : trace.events) own.push_back(event.position);
  if (const auto checked = check_reordering(trace, own); !checked)
    return {true, "rejects the trace itself: " + checked.error().text()};
  const auto expect_rejected = [&](const Sequence& mutant, std::string_view mutation) {
    outcome.exercised = true;
    if (check_reordering(trace, mutant)) outcome.failure = fmt::format("accepts a mutant: {}", mutation);
  };
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Event& event = trace.events[i];
    Sequence mutant = own;
    mutant.insert(mutant.begin() + static_cast<std::ptrdiff_t>(i), own[i]);
    expect_rejected(mutant, "an event twice");
    for (std::size_t j = i + 1; j < own.size(); ++j) {
      const Event& later = trace.events[j];
      mutant = own;
      if (later.thread == event.thread) {
        mutant.erase(mutant.begin() + static_cast<std::ptrdiff_t>(i));
        expect_rejected(mutant, "a hole in a thread");
      }
      // Moves the later event before the earlier one.
      mutant = own;
      std::rotate(mutant.begin() + static_cast<std::ptrdiff_t>(i),
                  mutant.begin() + static_cast<std::ptrdiff_t>(j),
                  mutant.begin() + static_cast<std::ptrdiff_t>(j) + 1);
      if (later.thread == event.thread) expect_rejected(mutant, "program order turned round");
      if (event.kind == EventKind::Fork && event.other_thread() == later.thread)
        expect_rejected(mutant, "before its fork");
      if (later.kind == EventKind::Join && later.other_thread() == event.thread)
        expect_rejected(mutant, "joined too early");
      if (event.kind == EventKind::Release && is_acquire(later.kind) && event.target == later.target)
        expect_rejected(mutant, "acquired before its release");
      if (reads_from_edges(trace).contains({i, j})) expect_rejected(mutant, "read before its write");
    }
  }
  return outcome;
}

Outcome shrinker_keeps_what_fails(const SmallTrace& trace) {
  const auto fails = [](const SmallTrace& any) { return !happens_before_races(any).empty(); };
  if (!fails(trace)) return {};
  const SmallTrace small = shrink(trace, fails);
  Outcome outcome{true, generator_rule_broken(small)};
  if (!fails(small)) outcome.failure = "the shrunk trace does not fail any more";
  // Two accesses are a race by themselves, and nothing less is.
  if (small.events.size() != 2)
    outcome.failure = fmt::format("{} events are left of a race", small.events.size());
  return outcome;
}

/// Everything one can reach by swapping neighbours that do not conflict.
std::set<Sequence> swap_closure(const SmallTrace& trace) {
  Sequence own;
  for (const Event& event : trace.events) own.push_back(event.position);
  std::set<Sequence> known = {own};
  std::vector<Sequence> open = {own};
  while (!open.empty()) {
    const Sequence sequence = open.back();
    open.pop_back();
    for (std::size_t i = 0; i + 1 < sequence.size(); ++i) {
      if (conflict(trace.events[*trace.index_of(sequence[i])],
                   trace.events[*trace.index_of(sequence[i + 1])]))
        continue;
      Sequence swapped = sequence;
      std::swap(swapped[i], swapped[i + 1]);
      if (known.insert(swapped).second) open.push_back(swapped);
    }
  }
  return known;
}

Outcome equivalents_are_swaps(const SmallTrace& trace) {
  if (trace.events.size() > 8) return {};
  std::vector<Sequence> given;
  const EquivalentsCount count =
      for_each_equivalent(trace, 1'000'000, [&](std::span<const std::uint64_t> sequence) {
        given.emplace_back(sequence.begin(), sequence.end());
        return true;
      });
  const std::set<Sequence> distinct(given.begin(), given.end());
  Outcome outcome{given.size() > 1, std::nullopt};
  if (!count.complete || count.traces != given.size()) outcome.failure = "the count is wrong";
  if (distinct.size() != given.size()) outcome.failure = "a trace is given twice";
  if (distinct != swap_closure(trace)) outcome.failure = "not what swapping neighbours gives";
  const Edges edges = happens_before_edges(trace);
  for (const Sequence& sequence : given) {
    if (const auto checked = check_reordering(trace, sequence); !checked)
      outcome.failure = checked.error().text();
    // Equivalent traces have the same happens-before relation.
    SmallTrace other{trace.header, trace.tables, {}};
    for (const std::uint64_t position : sequence)
      other.events.push_back(trace.events[*trace.index_of(position)]);
    Edges renamed;
    for (const auto& [i, j] : happens_before_edges(other))
      renamed.emplace(*trace.index_of(sequence[i]), *trace.index_of(sequence[j]));
    if (renamed != edges) outcome.failure = "an equivalent trace has another happens-before relation";
  }
  return outcome;
}

}  // namespace

std::span<const Property> witness_properties() {
  static constexpr std::array kProperties = {
      Property{"GeneratedIsWellFormed", "every random trace obeys the rules", long_one,
               generated_is_well_formed},
      Property{"OracleIsComplete", "the oracle finds what enumerating all sequences finds", tiny,
               oracle_is_complete, 4},
      Property{"CheckerAcceptsOracle", "the checker accepts every reordering of the oracle", small,
               checker_accepts_oracle, 4},
      Property{"CheckerRejectsMutants", "the checker rejects orders that are wrong by definition", small,
               checker_rejects_mutants, 2},
      Property{"ShrinkerKeepsWhatFails", "a shrunk trace is well-formed, minimal and still fails", small,
               shrinker_keeps_what_fails, 2},
      Property{"EquivalentsAreSwaps", "equivalents are what swapping gives, each once, with the same order",
               tiny, equivalents_are_swaps, 2},
  };
  return kProperties;
}

}  // namespace ravel
