#include "support/naive_predictive.h"

#include <algorithm>

#include "witness/rendezvous.h"

namespace ravel {
namespace {

using Relation = std::vector<std::vector<bool>>;

struct Section {
  std::size_t acquire = 0;
  std::size_t end = 0;  ///< the release, or the thread's last event
  bool closed = false;
};

std::vector<Section> sections(const SmallTrace& trace) {
  std::vector<Section> all;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (!is_acquire(trace.events[i].kind)) continue;
    Section section{i, i, false};
    for (std::size_t j = i + 1; j < trace.events.size() && !section.closed; ++j) {
      if (trace.events[j].thread != trace.events[i].thread) continue;
      section.end = j;
      section.closed = is_release(trace.events[j].kind) && trace.events[j].target == trace.events[i].target;
    }
    all.push_back(section);
  }
  return all;
}

/// Sections of one lock, of which k came first and one at least is exclusive.
bool exclude(const SmallTrace& trace, const Section& k, const Section& h) {
  const Event& a = trace.events[k.acquire];
  const Event& b = trace.events[h.acquire];
  const bool readers = a.kind == EventKind::AcquireShared && b.kind == EventKind::AcquireShared;
  if (a.target != b.target || readers || !k.closed || k.end > h.acquire) return false;
  for (std::size_t i = k.end; i < h.acquire; ++i)
    if (is_block(trace.events[i]) && uses_block(a, trace.events[i])) return false;  // another lock
  return true;
}

bool conflict_in_sections(const SmallTrace& trace, std::size_t i, std::size_t j) {
  const Event& a = trace.events[i];
  const Event& b = trace.events[j];
  const bool both_atomic = is_atomic(a.kind) && is_atomic(b.kind) && a.thread != b.thread && overlap(a, b) &&
                           (is_write(a.kind) || is_write(b.kind));
  return (clash(a, b) || both_atomic) && same_lifetime(trace, i, j);
}

/// The accesses of h that clash with one of k.
std::vector<std::size_t> clashes(const SmallTrace& trace, const Section& k, const Section& h) {
  std::vector<std::size_t> found;
  for (std::size_t j = h.acquire; j <= h.end; ++j)
    for (std::size_t i = k.acquire; i <= k.end; ++i)
      if (trace.events[i].thread == trace.events[k.acquire].thread &&
          trace.events[j].thread == trace.events[h.acquire].thread && conflict_in_sections(trace, i, j)) {
        found.push_back(j);
        break;
      }
  return found;
}

/// Everything that happens-before composed with an edge on both sides gives (rule c).
Relation compose(const Relation& before, const Edges& edges) {
  const std::size_t events = before.size();
  Relation relation(events, std::vector<bool>(events));
  for (const auto& [r, q] : edges)
    for (std::size_t i = 0; i < events; ++i)
      for (std::size_t j = 0; j < events; ++j)
        if ((i == r || before[i][r]) && (j == q || before[q][j])) relation[i][j] = true;
  return relation;
}

Races unordered(const SmallTrace& trace, const Relation& relation) {
  Races races;
  for (std::size_t j = 0; j < trace.events.size(); ++j)
    for (std::size_t i = 0; i < j; ++i)
      if (clash(trace.events[i], trace.events[j]) && same_lifetime(trace, i, j) && !relation[i][j])
        races.emplace(trace.events[i].position, trace.events[j].position);
  return races;
}

/// What a reordering must keep of barriers beyond happens-before: the arrivals of a round come after all
/// those of the round before.
Edges round_edges(const SmallTrace& trace) {
  Edges edges;
  const BarrierPhases rounds = barrier_phases(trace);
  for (std::size_t round = 0; round < rounds.phases.size(); ++round) {
    if (!rounds.previous[round]) continue;
    for (const std::size_t i : rounds.phases[*rounds.previous[round]].arrivals)
      for (const std::size_t j : rounds.phases[round].arrivals) edges.emplace(i, j);
  }
  return edges;
}

enum class Weak : bool { No, Yes };

/// With more edges in happens-before and in the relation.
Races races(const SmallTrace& trace, Weak weak, Edges more_edges = {}) {
  more_edges.merge(round_edges(trace));
  Edges hb = happens_before_edges(trace);
  hb.insert(more_edges.begin(), more_edges.end());
  const Relation before = closure(trace.events.size(), hb);
  const std::vector<Section> all = sections(trace);
  Edges edges = base_edges(trace);
  edges.insert(more_edges.begin(), more_edges.end());
  for (const Section& k : all)
    for (const Section& h : all) {
      if (!exclude(trace, k, h)) continue;
      for (const std::size_t access : clashes(trace, k, h))
        edges.emplace(k.end, weak == Weak::Yes ? access : h.acquire);  // rule (a)
    }
  while (true) {
    const Relation relation = compose(before, edges);
    bool more = false;
    for (const Section& k : all)
      for (const Section& h : all) {
        if (!exclude(trace, k, h) || !relation[k.acquire][h.end]) continue;
        if (weak == Weak::Yes && !h.closed) continue;
        more |= edges.emplace(k.end, weak == Weak::Yes ? h.end : h.acquire).second;  // rule (b)
      }
    if (!more) return unordered(trace, relation);
  }
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> one_by_one(const SmallTrace& trace, Weak weak) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  Edges edges;
  while (true) {
    const Races left = races(trace, weak, edges);
    if (left.empty()) return found;
    found.push_back(*std::ranges::min_element(left, [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second < b.second : a.first > b.first;
    }));
    edges.emplace(*trace.index_of(found.back().first), *trace.index_of(found.back().second));
  }
}

}  // namespace

Races causally_precedes_races(const SmallTrace& trace) { return races(trace, Weak::No); }
Races weakly_causally_precedes_races(const SmallTrace& trace) { return races(trace, Weak::Yes); }

std::vector<std::pair<std::uint64_t, std::uint64_t>> causally_precedes_races_one_by_one(
    const SmallTrace& trace) {
  return one_by_one(trace, Weak::No);
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> weakly_causally_precedes_races_one_by_one(
    const SmallTrace& trace) {
  return one_by_one(trace, Weak::Yes);
}

Races must_before_races(const SmallTrace& trace) {
  const auto& events = trace.events;
  const auto writes = [](const Event& event) {
    return is_write(event.kind) || event.kind == EventKind::Free;
  };
  const auto accesses = [](const Event& event) {
    return is_access(event.kind) || event.kind == EventKind::Free;
  };
  const auto may_synchronize = [](const Event& event) {
    return is_atomic(event.kind) || event.kind == EventKind::Fence;
  };
  Edges edges = program_order(trace);
  for (const auto& [i, j] : base_edges(trace))
    if (!may_synchronize(events[i]) || !may_synchronize(events[j])) edges.emplace(i, j);
  for (std::size_t j = 0; j < events.size(); ++j)
    for (std::size_t i = 0; i < j; ++i)
      if (accesses(events[i]) && accesses(events[j]) && overlap(events[i], events[j]) &&
          (writes(events[i]) || writes(events[j])) && same_lifetime(trace, i, j))
        edges.emplace(i, j);  // communication order
  const std::vector<Section> all = sections(trace);
  Relation before = closure(events.size(), edges);
  for (bool more = true; more;) {
    more = false;
    for (const Section& k : all)
      for (const Section& h : all)
        if (exclude(trace, k, h) && before[k.acquire][h.end])
          more |= edges.emplace(k.end, h.acquire).second;  // condition 3
    if (more) before = closure(events.size(), edges);
  }
  Races races;
  for (std::size_t b = 0; b < events.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) {
      if (!clash(events[a], events[b]) || !same_lifetime(trace, a, b)) continue;
      bool ordered = false;
      for (std::size_t c = 0; c < b; ++c) {
        const bool earlier = events[c].thread == events[b].thread;
        const bool begin = events[c].kind == EventKind::Fork && events[c].other_thread() == events[b].thread;
        ordered |= (earlier || begin) && before[a][c];
      }
      if (!ordered) races.emplace(events[a].position, events[b].position);
    }
  return races;
}

}  // namespace ravel
