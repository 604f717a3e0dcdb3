#include "witness/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <map>
#include <set>
#include <string>

#include "witness/rendezvous.h"

namespace ravel {
namespace {

constexpr std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << i; }

/// The bytes an event uses, for the lifetime of its memory: [first, first + second).
std::pair<std::uint64_t, std::uint64_t> extent(const Event& event) {
  switch (target_space(event.kind)) {
    case TargetSpace::Variable:
    case TargetSpace::Range:
      return {event.target, event.width};
    case TargetSpace::Lock:
    case TargetSpace::Condition:
    case TargetSpace::Barrier:
      return {event.target, 1};
    case TargetSpace::Thread:
    case TargetSpace::Unit:
    case TargetSpace::None:
      break;
  }
  return {0, 0};
}

bool share_memory(const Event& a, const Event& b) {
  const auto [a_begin, a_size] = extent(a);
  const auto [b_begin, b_size] = extent(b);
  return a_begin < b_begin + b_size && b_begin < a_begin + a_size;
}

}  // namespace

Result<Oracle> Oracle::explore(const SmallTrace& trace, std::size_t max_states) {
  if (trace.events.size() > kMaxEvents)
    return fail(fmt::format("{} events are too many to enumerate their reorderings", trace.events.size()));
  if (std::ranges::any_of(trace.events,
                          [](const Event& event) { return (kRetroAccesses | kToldOrder).has(event.kind); }))
    return fail("the trace has something that was reported late: its reorderings are unknown");
  Oracle oracle(trace);
  oracle.derive_rules(trace);
  oracle.derive_cells();
  if (auto searched = oracle.search(max_states); !searched) return std::unexpected(searched.error());
  return oracle;
}

void Oracle::derive_rules(const SmallTrace& trace) {
  rules_.resize(events_.size());
  for (std::size_t j = 0; j < events_.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const Event& a = events_[i];
      const Event& b = events_[j];
      const bool program_order = a.thread == b.thread;
      const bool forked = a.kind == EventKind::Fork && a.other_thread() == b.thread;
      const bool forks_child = a.kind == EventKind::Fork && a.other_thread() == b.other_thread();
      const bool joined = b.kind == EventKind::Join && (b.other_thread() == a.thread || forks_child);
      if (program_order || forked || joined) rules_[j].needs |= bit(i);
      if ((is_block(a) || is_block(b)) && share_memory(a, b)) {
        if (is_block(a)) rules_[j].needs |= bit(i);
        rules_[i].forbids |= bit(j);
      }
      const bool acquired = is_acquire(a.kind);
      if (acquired && is_release(b.kind) && a.thread == b.thread && a.target == b.target &&
          rules_[i].ends == 0)
        rules_[i].ends |= bit(j);
      if (acquired && b.kind == EventKind::Free && share_memory(a, b)) rules_[i].ends |= bit(j);
      const bool both_readers = a.kind == EventKind::AcquireShared && b.kind == EventKind::AcquireShared;
      if (acquired && is_acquire(b.kind) && a.target == b.target && !both_readers) {
        rules_[i].sections |= bit(j);
        rules_[j].sections |= bit(i);
      }
    }
  }
  const BarrierPhases barriers = barrier_phases(trace);
  const auto mask = [](const std::vector<std::size_t>& indices) {
    std::uint64_t bits = 0;
    for (const std::size_t i : indices) bits |= bit(i);
    return bits;
  };
  for (std::size_t p = 0; p < barriers.phases.size(); ++p) {
    const BarrierPhase& phase = barriers.phases[p];
    for (const std::size_t i : phase.departures) rules_[i].needs |= mask(phase.arrivals);
    if (const auto before = barriers.previous[p])
      for (const std::size_t i : phase.arrivals) rules_[i].needs |= mask(barriers.phases[*before].arrivals);
  }
  for (const FinishedWait& wait : finished_waits(trace)) {
    rules_[wait.end].needs |= mask(wait.notifies);
    for (const std::size_t i : wait.notifies) rules_[i].needs |= bit(wait.begin);
  }
}

void Oracle::derive_cells() {
  // Bytes that the same events access always hold the same write: one cell for them all.
  std::map<std::uint64_t, std::uint64_t> accessed_by;  // byte -> events
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (is_access(events_[i].kind))
      for (std::uint64_t k = 0; k < events_[i].width; ++k) accessed_by[events_[i].target + k] |= bit(i);
  std::set<std::uint64_t> cells;
  for (const auto& [byte, accesses] : accessed_by) cells.insert(accesses);
  for (const std::uint64_t accesses : cells) {
    const auto cell = static_cast<std::uint8_t>(cell_readers_.size());
    std::uint64_t readers = 0;
    for (std::size_t i = 0; i < events_.size(); ++i)
      if ((accesses & bit(i)) != 0 && reads(events_[i].kind)) readers |= bit(i);
    if (readers == 0) continue;
    cell_readers_.push_back(readers);
    std::uint8_t last_write = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if ((accesses & bit(i)) == 0) continue;
      if (reads(events_[i].kind)) rules_[i].sees.emplace_back(cell, last_write);
      if (is_write(events_[i].kind)) {
        rules_[i].writes.push_back(cell);
        last_write = static_cast<std::uint8_t>(i + 1);
      }
    }
  }
}

std::uint64_t Oracle::open_against(std::size_t acquire, std::uint64_t done) const {
  std::uint64_t open = 0;
  for (std::size_t i = 0; i < events_.size(); ++i)
    if ((rules_[acquire].sections & done & bit(i)) != 0 && (rules_[i].ends & done) == 0) open |= bit(i);
  return open;
}

/// Whether event i can run after `done`, whatever it reads.
bool Oracle::next(std::size_t i, std::uint64_t done) const {
  const Rule& rule = rules_[i];
  return (done & bit(i)) == 0 && (rule.needs & ~done) == 0 && (rule.forbids & done) == 0 &&
         (rule.sections == 0 || open_against(i, done) == 0);
}

Result<void> Oracle::search(std::size_t max_states) {
  std::vector<std::string> memory;  // by state: last write + 1 of each cell
  boost::unordered_flat_set<std::string> known;
  states_.push_back({});
  memory.emplace_back(cell_readers_.size(), '\0');
  for (std::size_t s = 0; s < states_.size(); ++s) {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const std::uint64_t done = states_[s].done;
      if (!next(i, done)) continue;
      const auto held = [&](std::uint8_t cell) { return static_cast<std::uint8_t>(memory[s][cell]); };
      const Rule& rule = rules_[i];
      if (!std::ranges::all_of(rule.sees, [&](auto see) { return held(see.first) == see.second; })) continue;
      State state{done | bit(i), static_cast<std::uint32_t>(s), static_cast<std::uint8_t>(i)};
      std::string after = memory[s];
      for (const std::uint8_t cell : rule.writes) after[cell] = static_cast<char>(i + 1);
      for (std::size_t cell = 0; cell < after.size(); ++cell)
        if ((cell_readers_[cell] & ~state.done) == 0) after[cell] = '\0';  // nobody will look
      std::string key(reinterpret_cast<const char*>(&state.done), sizeof state.done);
      if (!known.insert(key + after).second) continue;
      if (states_.size() == max_states)
        return fail(fmt::format("more than {} states of reorderings", max_states));
      states_.push_back(state);
      memory.push_back(std::move(after));
    }
  }
  return {};
}

std::vector<std::uint64_t> Oracle::reordering(std::size_t state) const {
  std::vector<std::uint64_t> positions;
  for (; state != 0; state = states_[state].parent)
    positions.push_back(events_[states_[state].last].position);
  std::ranges::reverse(positions);
  return positions;
}

void Oracle::for_each_reachable_state(
    const std::function<bool(const State&, const std::vector<std::uint64_t>& reordering)>& visit) const {
  for (std::size_t s = 0; s < states_.size(); ++s)
    if (!visit(states_[s], reordering(s))) return;
}

std::optional<std::vector<std::uint64_t>> Oracle::predictable_race(std::uint64_t a, std::uint64_t b) const {
  const auto index = [this](std::uint64_t position) {
    const auto found = std::ranges::find(events_, position, &Event::position);
    CHECK(found != events_.end(), "the pair must be of the trace");
    return static_cast<std::size_t>(found - events_.begin());
  };
  const std::size_t i = index(a);
  const std::size_t j = index(b);
  if (!clash(events_[i], events_[j])) return std::nullopt;
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if (!next(i, states_[s].done) || !next(j, states_[s].done)) continue;
    std::vector<std::uint64_t> positions = reordering(s);
    positions.insert(positions.end(), {a, b});
    return positions;
  }
  return std::nullopt;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> Oracle::predictable_races() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> races;
  for (std::size_t i = 0; i < events_.size(); ++i)
    for (std::size_t j = i + 1; j < events_.size(); ++j)
      if (clash(events_[i], events_[j]) && predictable_race(events_[i].position, events_[j].position))
        races.emplace_back(events_[i].position, events_[j].position);
  return races;
}

bool Oracle::deadlocked(std::uint64_t done, DeadlockWaits waits) const {
  // waits_for[t] as a set of events whose threads t waits for; a thread that waits for none of those left can
  // go on, and so cannot be part of a cycle. What is left when nothing more can be taken away contains one.
  std::map<ThreadId, std::set<ThreadId>> waits_for;
  std::set<ThreadId> threads;
  for (const Event& event : events_) threads.insert(event.thread);
  for (const ThreadId thread : threads) {
    const auto next_event = [&](std::size_t from) {
      while (from < events_.size() && (events_[from].thread != thread || (done & bit(from)) != 0)) ++from;
      return from;
    };
    std::size_t i = next_event(0);
    if (i == events_.size()) continue;
    if ((rules_[i].forbids & done) != 0) continue;
    if (events_[i].kind == EventKind::Join && waits == DeadlockWaits::LocksAndJoins) {
      std::uint64_t others = rules_[i].needs & ~done;
      const ThreadId child = events_[i].other_thread();
      // Only the child may be missing, or its fork; else the thread waits for its own fork.
      for (std::size_t k = 0; k < events_.size(); ++k)
        if (events_[k].thread == child ||
            (events_[k].kind == EventKind::Fork && events_[k].other_thread() == child))
          others &= ~bit(k);
      if (others == 0 && (rules_[i].needs & ~done) != 0) waits_for[thread].insert(child);
      continue;
    }
    if ((rules_[i].needs & ~done) != 0) continue;
    if (events_[i].kind == EventKind::Request) {
      const std::uint64_t lock = events_[i].target;
      i = next_event(i + 1);
      if (i == events_.size() || events_[i].target != lock) continue;
    }
    if (!is_acquire(events_[i].kind) || !events_[i].would_wait()) continue;
    const std::uint64_t open = open_against(i, done);
    for (std::size_t k = 0; k < events_.size(); ++k)
      if ((open & bit(k)) != 0) waits_for[thread].insert(events_[k].thread);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = waits_for.begin(); it != waits_for.end();) {
      const bool stuck =
          std::ranges::any_of(it->second, [&](ThreadId other) { return waits_for.contains(other); });
      changed |= !stuck;
      it = stuck ? std::next(it) : waits_for.erase(it);
    }
  }
  return !waits_for.empty();
}

std::optional<std::vector<std::uint64_t>> Oracle::predictable_deadlock(DeadlockWaits waits) const {
  for (std::size_t s = 0; s < states_.size(); ++s)
    if (deadlocked(states_[s].done, waits)) return reordering(s);
  return std::nullopt;
}

}  // namespace ravel
