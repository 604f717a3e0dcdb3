#include "support/naive_closure.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "witness/rendezvous.h"
#include "witness/reordering.h"

namespace ravel {
namespace {

using Indices = std::set<std::size_t>;

bool exclude(const Event& a, const Event& b) {
  return is_acquire(a.kind) && is_acquire(b.kind) && a.target == b.target &&
         !(a.kind == EventKind::AcquireShared && b.kind == EventKind::AcquireShared);
}

bool uses(const Event& event, const Event& block) { return is_block(block) && uses_block(event, block); }

/// What the definition says about single events.
class Definition {
 public:
  explicit Definition(const SmallTrace& trace)
      : events_(trace.events), order_(events_.size()), reading_(events_.size()), ends_(events_.size()) {
    for (std::size_t j = 0; j < events_.size(); ++j) {
      const Event& b = events_[j];
      for (std::size_t i = 0; i < j; ++i) {
        const Event& a = events_[i];
        const bool forks = a.kind == EventKind::Fork && a.other_thread() == b.thread;
        const bool forks_child = a.kind == EventKind::Fork && a.other_thread() == b.other_thread();
        const bool joined = b.kind == EventKind::Join && (b.other_thread() == a.thread || forks_child);
        if (a.thread == b.thread || forks || joined || uses(b, a)) order_[j].insert(i);
        const bool ends = is_release(b.kind) && a.thread == b.thread && a.target == b.target;
        if (is_acquire(a.kind) && !ends_[i] && (ends || (b.kind == EventKind::Free && uses(a, b))))
          ends_[i] = j;
      }
      // What it reads; and memory is allocated or freed after what was last written there.
      if (!reads(b.kind) && !is_block(b)) continue;
      for (std::uint64_t byte = b.target; byte < b.target + b.width; ++byte)
        for (std::size_t i = j; i-- > 0;)
          if (is_access(events_[i].kind) && is_write(events_[i].kind) &&
              byte - events_[i].target < events_[i].width) {
            reading_[j].insert(i);
            break;
          }
    }
    const BarrierPhases barriers = barrier_phases(trace);
    for (std::size_t p = 0; p < barriers.phases.size(); ++p) {
      const auto& arrivals = barriers.phases[p].arrivals;
      for (const std::size_t i : barriers.phases[p].departures)
        order_[i].insert(arrivals.begin(), arrivals.end());
      if (const auto before = barriers.previous[p])
        for (const std::size_t i : arrivals)
          order_[i].insert(barriers.phases[*before].arrivals.begin(),
                           barriers.phases[*before].arrivals.end());
    }
    for (const FinishedWait& wait : finished_waits(trace))
      order_[wait.end].insert(wait.notifies.begin(), wait.notifies.end());
    for (std::size_t j = 0; j < events_.size(); ++j) {
      if (events_[j].kind != EventKind::Notify && events_[j].kind != EventKind::NotifyAll) continue;
      std::map<ThreadId, std::size_t> open;
      for (std::size_t i = 0; i < j; ++i) {
        if (events_[i].target != events_[j].target || events_[i].thread == events_[j].thread) continue;
        if (events_[i].kind == EventKind::WaitBegin) open[events_[i].thread] = i;
        if (events_[i].kind == EventKind::WaitEnd) open.erase(events_[i].thread);
      }
      for (const auto& [thread, begin] : open) order_[j].insert(begin);
    }
  }

  /// What the event needs to be next.
  const Indices& needs(std::size_t i) const { return order_[i]; }

  /// What the closure keeps though a correct reordering need not.
  Indices kept(std::size_t i) const {
    if (is_block(events_[i])) return reading_[i];
    const bool notifies = events_[i].kind == EventKind::Notify || events_[i].kind == EventKind::NotifyAll;
    return notifies ? order_[i] : Indices();
  }

  Indices close(Indices set) const {
    for (std::size_t before = 0; before != set.size();) {
      before = set.size();
      const Indices now = set;
      for (const std::size_t i : now) {
        set.insert(order_[i].begin(), order_[i].end());
        set.insert(reading_[i].begin(), reading_[i].end());
        for (const std::size_t j : now)
          if (i < j && exclude(events_[i], events_[j]) && ends_[i]) set.insert(*ends_[i]);
      }
    }
    return set;
  }

  Indices close_needs(const Indices& of) const {
    Indices start;
    for (const std::size_t i : of) start.insert(order_[i].begin(), order_[i].end());
    return close(std::move(start));
  }

 private:
  const std::vector<Event>& events_;
  std::vector<Indices> order_;
  std::vector<Indices> reading_;
  std::vector<std::optional<std::size_t>> ends_;  // of a section, by its acquire
};

/// Both access a byte in the same lifetime of its memory.
bool in_one_lifetime(const SmallTrace& trace, std::size_t i, std::size_t j) {
  for (std::uint64_t byte = trace.events[i].target; byte < trace.events[i].target + trace.events[i].width;
       ++byte) {
    if (byte - trace.events[j].target >= trace.events[j].width) continue;
    bool ended = is_block(trace.events[i]);
    for (std::size_t k = i + 1; k < j; ++k)
      ended |= is_block(trace.events[k]) && byte - trace.events[k].target < trace.events[k].width;
    if (!ended) return true;
  }
  return false;
}

class Enumeration {
 public:
  explicit Enumeration(const SmallTrace& trace) : trace_(trace), definition_(trace) {}

  Races all() {
    std::vector<std::uint64_t> empty;
    visit(empty);
    return std::move(races_);
  }

 private:
  void visit(std::vector<std::uint64_t>& sequence) {
    if (!known_.insert(key(sequence)).second) return;
    look(sequence);
    for (const Event& event : trace_.events) {
      if (std::ranges::find(sequence, event.position) != sequence.end() || !keeps_order(sequence, event))
        continue;
      sequence.push_back(event.position);
      if (check_reordering(trace_, sequence)) visit(sequence);
      sequence.pop_back();
    }
  }

  void look(std::vector<std::uint64_t>& sequence) {
    for (std::size_t j = 0; j < trace_.events.size(); ++j)
      for (std::size_t i = 0; i < j; ++i) {
        const std::pair pair(trace_.events[i].position, trace_.events[j].position);
        if (races_.contains(pair) || !clash(trace_.events[i], trace_.events[j]) ||
            !in_one_lifetime(trace_, i, j))
          continue;
        sequence.insert(sequence.end(), {pair.first, pair.second});
        if (check_race(trace_, sequence)) races_.insert(pair);
        sequence.resize(sequence.size() - 2);
      }
  }

  /// Sections, and what else the closure keeps beyond correct reorderings: memory is allocated or freed after
  /// the last write to it, and a notify comes after the waits that it found, also if they never ended.
  bool keeps_order(const std::vector<std::uint64_t>& sequence, const Event& event) const {
    const auto has = [&](std::uint64_t position) {
      return std::ranges::find(sequence, position) != sequence.end();
    };
    const auto& needs = definition_.kept(*trace_.index_of(event.position));
    if (!std::ranges::all_of(needs, [&](std::size_t i) { return has(trace_.events[i].position); }))
      return false;
    return std::ranges::none_of(sequence, [&](std::uint64_t position) {
      return position > event.position && exclude(trace_.events[*trace_.index_of(position)], event);
    });
  }

  /// What has run, and what memory holds.
  std::string key(const std::vector<std::uint64_t>& sequence) const {
    std::vector<std::uint64_t> done = sequence;
    std::ranges::sort(done);
    std::string text;
    for (const std::uint64_t position : done) text += std::to_string(position) + " ";
    std::map<std::uint64_t, std::uint64_t> memory;
    for (const std::uint64_t position : sequence) {
      const Event& event = trace_.events[*trace_.index_of(position)];
      if (!is_access(event.kind) || !is_write(event.kind)) continue;
      for (std::uint64_t byte = event.target; byte < event.target + event.width; ++byte)
        memory[byte] = position;
    }
    for (const auto& [byte, position] : memory) text += "," + std::to_string(position);
    return text;
  }

  const SmallTrace& trace_;
  Definition definition_;
  std::set<std::string> known_;
  Races races_;
};

}  // namespace

Races sync_preserving_races(const SmallTrace& trace) {
  const Definition definition(trace);
  Races races;
  for (std::size_t j = 0; j < trace.events.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      if (!clash(trace.events[i], trace.events[j]) || !in_one_lifetime(trace, i, j)) continue;
      const Indices closed = definition.close_needs({i, j});
      if (!closed.contains(i) && !closed.contains(j))
        races.emplace(trace.events[i].position, trace.events[j].position);
    }
  return races;
}

Races races_of_sync_preserving_reorderings(const SmallTrace& trace) { return Enumeration(trace).all(); }

bool can_all_be_next(const SmallTrace& trace, std::span<const std::uint64_t> positions) {
  Indices events;
  for (const std::uint64_t position : positions) events.insert(*trace.index_of(position));
  const Indices closed = Definition(trace).close_needs(events);
  return std::ranges::none_of(events, [&](std::size_t i) { return closed.contains(i); });
}

std::set<std::set<std::uint64_t>> sync_preserving_deadlocks(const SmallTrace& trace) {
  const Definition definition(trace);
  struct Request {
    std::size_t event;
    std::map<std::uint64_t, bool> held;  // lock, shared
  };
  std::vector<Request> requests;
  std::map<ThreadId, std::map<std::uint64_t, bool>> held;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (is_acquire(event.kind)) {
      if (!held[event.thread].empty() && event.would_wait()) requests.push_back({i, held[event.thread]});
      held[event.thread][event.target] = event.kind == EventKind::AcquireShared;
    }
    if (is_release(event.kind)) held[event.thread].erase(event.target);
    if (event.kind == EventKind::Free)
      for (auto& [thread, locks] : held)
        std::erase_if(locks, [&](const auto& lock) { return lock.first - event.target < event.width; });
  }
  const auto waits_for = [&](const Request& a, const Request& b) {
    const Event& event = trace.events[a.event];
    const auto found = b.held.find(event.target);
    return found != b.held.end() && !(found->second && event.kind == EventKind::AcquireShared);
  };
  const auto compatible = [&](const Request& a, const Request& b) {
    if (trace.events[a.event].thread == trace.events[b.event].thread) return false;
    return std::ranges::none_of(a.held, [&](const auto& lock) {
      const auto other = b.held.find(lock.first);
      return other != b.held.end() && !(lock.second && other->second);
    });
  };
  std::set<std::set<std::uint64_t>> deadlocks;
  std::vector<const Request*> chain;
  const auto extend = [&](const auto& self) -> void {
    if (chain.size() > 1 && waits_for(*chain.back(), *chain.front())) {
      Indices events;
      std::set<std::uint64_t> positions;
      for (const Request* request : chain) {
        events.insert(request->event);
        positions.insert(trace.events[request->event].position);
      }
      const Indices closed = definition.close_needs(events);
      if (std::ranges::none_of(events, [&](std::size_t i) { return closed.contains(i); }))
        deadlocks.insert(positions);
    }
    for (const Request& next : requests) {
      if (!chain.empty() && !waits_for(*chain.back(), next)) continue;
      if (!std::ranges::all_of(chain, [&](const Request* one) { return compatible(*one, next); })) continue;
      chain.push_back(&next);
      self(self);
      chain.pop_back();
    }
  };
  extend(extend);
  return deadlocks;
}

}  // namespace ravel
