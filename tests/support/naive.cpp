#include "support/naive.h"

#include <map>
#include <optional>

namespace ravel {
namespace {

using Byte = std::uint64_t;

bool frees(const Event& event, Byte byte) {
  return (event.kind == EventKind::Free || event.kind == EventKind::Alloc) &&
         byte - event.target < event.width;
}

bool accesses(const Event& event, Byte byte) {
  return is_access(event.kind) && byte - event.target < event.width;
}

/// The last write to the byte before event i, in the same lifetime of its memory.
std::optional<std::size_t> last_write(const SmallTrace& trace, std::size_t i, Byte byte) {
  while (i-- > 0) {
    if (frees(trace.events[i], byte)) return std::nullopt;
    if (accesses(trace.events[i], byte) && is_write(trace.events[i].kind)) return i;
  }
  return std::nullopt;
}

void barrier_edges(const SmallTrace& trace, Edges& edges) {
  struct Round {
    std::vector<std::size_t> arrivals;
    bool left = false;
  };
  std::map<std::uint64_t, std::vector<Round>> rounds;
  std::map<std::pair<ThreadId, std::uint64_t>, std::size_t> inside;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    std::vector<Round>& all = rounds[event.target];
    if (event.kind == EventKind::BarrierEnter) {
      if (all.empty() || all.back().left) all.emplace_back();
      all.back().arrivals.push_back(i);
      inside[{event.thread, event.target}] = all.size() - 1;
    }
    if (event.kind == EventKind::BarrierExit) {
      Round& round = all[inside.at({event.thread, event.target})];
      round.left = true;
      for (const std::size_t arrival : round.arrivals) edges.emplace(arrival, i);
    }
  }
}

/// What a write hands to those that read it: itself if it releases, and every release fence before it in its
/// thread.
std::vector<std::size_t> releasing(const SmallTrace& trace, std::size_t write) {
  std::vector<std::size_t> result;
  const Event& event = trace.events[write];
  if (!is_atomic(event.kind)) return result;
  if (releases(event.order)) result.push_back(write);
  for (std::size_t i = 0; i < write; ++i) {
    const Event& fence = trace.events[i];
    if (fence.kind == EventKind::Fence && fence.thread == event.thread && releases(fence.order))
      result.push_back(i);
  }
  return result;
}

void atomic_edges(const SmallTrace& trace, Edges& edges) {
  const auto& events = trace.events;
  for (std::size_t load = 0; load < events.size(); ++load) {
    if (events[load].kind != EventKind::AtomicLoad && events[load].kind != EventKind::AtomicRmw) continue;
    // Who is ordered after what the load reads: itself, and every acquire fence after it in its thread.
    std::vector<std::size_t> acquiring;
    if (acquires(events[load].order)) acquiring.push_back(load);
    for (std::size_t i = load + 1; i < events.size(); ++i)
      if (events[i].kind == EventKind::Fence && events[i].thread == events[load].thread &&
          acquires(events[i].order))
        acquiring.push_back(i);
    for (Byte byte = events[load].target; byte < events[load].target + events[load].width; ++byte) {
      // The write that is read, and those in whose release sequence it is: back through read-modify-writes
      // only.
      for (auto write = last_write(trace, load, byte); write;
           write = events[*write].kind == EventKind::AtomicRmw ? last_write(trace, *write, byte)
                                                               : std::nullopt)
        for (const std::size_t from : releasing(trace, *write))
          for (const std::size_t to : acquiring) edges.emplace(from, to);
    }
  }
}

}  // namespace

Edges program_order(const SmallTrace& trace) {
  Edges edges;
  for (std::size_t j = 0; j < trace.events.size(); ++j)
    for (std::size_t i = 0; i < j; ++i)
      if (trace.events[i].thread == trace.events[j].thread) edges.emplace(i, j);
  return edges;
}

Edges release_acquire_edges(const SmallTrace& trace) {
  Edges edges;
  const auto& events = trace.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!is_release(events[i].kind)) continue;
    for (std::size_t j = i + 1; j < events.size(); ++j) {
      if (frees(events[j], events[i].target)) break;  // another lock from here on
      const bool both_readers =
          events[i].kind == EventKind::ReleaseShared && events[j].kind == EventKind::AcquireShared;
      if (is_acquire(events[j].kind) && events[i].target == events[j].target && !both_readers)
        edges.emplace(i, j);
    }
  }
  return edges;
}

Edges base_edges(const SmallTrace& trace) {
  Edges edges;
  const auto& events = trace.events;
  for (std::size_t j = 0; j < events.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const bool forked = events[i].kind == EventKind::Fork && events[i].other_thread() == events[j].thread;
      const bool joined = events[j].kind == EventKind::Join && events[j].other_thread() == events[i].thread;
      // A thread without events in the trace still began and ended.
      const bool forked_joined = events[i].kind == EventKind::Fork && events[j].kind == EventKind::Join &&
                                 events[i].other_thread() == events[j].other_thread();
      if (forked || joined || forked_joined) edges.emplace(i, j);
    }
  barrier_edges(trace, edges);
  atomic_edges(trace, edges);
  return edges;
}

Edges happens_before_edges(const SmallTrace& trace) {
  Edges edges = program_order(trace);
  edges.merge(release_acquire_edges(trace));
  edges.merge(base_edges(trace));
  return edges;
}

bool same_lifetime(const SmallTrace& trace, std::size_t i, std::size_t j) {
  for (Byte byte = trace.events[i].target; byte < trace.events[i].target + trace.events[i].width; ++byte) {
    if (!accesses(trace.events[j], byte) && !frees(trace.events[j], byte)) continue;
    bool freed = false;
    for (std::size_t k = i; k < j; ++k) freed |= frees(trace.events[k], byte);
    if (!freed) return true;
  }
  return false;
}

Edges reads_from_edges(const SmallTrace& trace) {
  Edges edges;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (!reads(event.kind)) continue;
    for (Byte byte = event.target; byte < event.target + event.width; ++byte)
      if (const auto write = last_write(trace, i, byte)) edges.emplace(*write, i);
  }
  return edges;
}

std::vector<std::vector<bool>> closure(std::size_t events, const Edges& edges) {
  std::vector<std::vector<bool>> path(events, std::vector<bool>(events));
  for (const auto& [i, j] : edges) path[i][j] = true;
  for (std::size_t k = 0; k < events; ++k)
    for (std::size_t i = 0; i < events; ++i)
      for (std::size_t j = 0; j < events; ++j)
        if (path[i][k] && path[k][j]) path[i][j] = true;
  return path;
}

Races happens_before_races(const SmallTrace& trace) {
  const auto before = closure(trace.events.size(), happens_before_edges(trace));
  Races races;
  for (std::size_t j = 0; j < trace.events.size(); ++j)
    for (std::size_t i = 0; i < j; ++i)
      if (clash(trace.events[i], trace.events[j]) && same_lifetime(trace, i, j) && !before[i][j])
        races.emplace(trace.events[i].position, trace.events[j].position);
  return races;
}

Races schedulable_races(const SmallTrace& trace) {
  const Edges synchronization = happens_before_edges(trace);
  Edges all = synchronization;
  all.merge(reads_from_edges(trace));
  const auto before = closure(trace.events.size(), all);
  Races races;
  for (std::size_t j = 0; j < trace.events.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      if (!clash(trace.events[i], trace.events[j]) || !same_lifetime(trace, i, j)) continue;
      bool ordered = false;
      for (std::size_t k = i; k < j; ++k)
        ordered |= (i == k || before[i][k]) && synchronization.contains({k, j});
      if (!ordered) races.emplace(trace.events[i].position, trace.events[j].position);
    }
  return races;
}

}  // namespace ravel
