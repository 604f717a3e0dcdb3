#include "support/witness_runs.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "schedule/strategies.h"

namespace ravel {
namespace {

OperationKind operation(EventKind kind) {
  switch (kind) {
    case EventKind::Acquire:
      return OperationKind::Lock;
    case EventKind::AcquireShared:
      return OperationKind::LockShared;
    case EventKind::Release:
      return OperationKind::Unlock;
    case EventKind::ReleaseShared:
      return OperationKind::UnlockShared;
    case EventKind::Fork:
      return OperationKind::Create;
    case EventKind::Join:
      return OperationKind::Join;
    case EventKind::Read:
      return OperationKind::Read;
    case EventKind::Write:
      return OperationKind::Write;
    default:
      return OperationKind::Atomic;
  }
}

class Run {
 public:
  explicit Run(const SmallTrace& trace) {
    for (const Event& event : trace.events) {
      threads_[event.thread].events.push_back(&event);
      if (event.kind == EventKind::Fork) threads_[event.other_thread()].forked = false;
    }
    threads_[trace.events.front().thread].path = "0";
  }

  bool can_go_on(const Event& event) const {
    if (event.kind == EventKind::Join) {
      const auto other = threads_.find(event.other_thread());
      return other == threads_.end() || (other->second.forked && other->second.next == other->second.events.size());
    }
    if (!is_acquire(event.kind)) return true;
    const auto owner = owners_.find(event.target);
    if (owner != owners_.end()) return false;
    const auto readers = readers_.find(event.target);
    return event.kind == EventKind::AcquireShared || readers == readers_.end() || readers->second.empty();
  }

  std::vector<Candidate> candidates() const {
    std::vector<Candidate> all;
    for (const auto& [id, thread] : threads_) {
      if (!thread.forked || thread.next == thread.events.size() || !can_go_on(*thread.events[thread.next])) continue;
      Candidate candidate;
      candidate.thread = id.value;
      candidate.path.text = thread.path;
      candidate.next = operation(thread.events[thread.next]->kind);
      candidate.syncs = thread.syncs;
      candidate.ordinal = thread.events[thread.next]->ordinal;
      all.push_back(candidate);
    }
    return all;
  }

  std::uint64_t perform(ThreadId id) {
    Thread& thread = threads_.at(id);
    const Event& event = *thread.events[thread.next++];
    if (kTimeSteps.has(event.kind)) ++thread.syncs;
    if (event.kind == EventKind::Acquire) owners_.insert(event.target);
    if (event.kind == EventKind::Release) owners_.erase(event.target);
    if (event.kind == EventKind::AcquireShared) readers_[event.target].insert(id);
    if (event.kind == EventKind::ReleaseShared) readers_[event.target].erase(id);
    if (event.kind == EventKind::Fork) {
      Thread& child = threads_[event.other_thread()];
      child.forked = true;
      child.path = thread.path + "." + std::to_string(thread.children++);
    }
    return event.position;
  }

 private:
  struct Thread {
    std::vector<const Event*> events;
    std::size_t next = 0;
    std::uint64_t syncs = 0;
    std::uint64_t children = 0;
    bool forked = true;
    std::string path = "0.999";
  };

  std::map<ThreadId, Thread> threads_;
  std::set<std::uint64_t> owners_;
  std::map<std::uint64_t, std::set<ThreadId>> readers_;
};

[[noreturn]] void die(const std::string& message) {
  std::cerr << message << '\n';
  std::abort();
}

}  // namespace

SmallTrace with_ordinals(SmallTrace trace) {
  std::map<ThreadId, std::uint32_t> hooks;
  for (Event& event : trace.events) {
    event.ordinal = ++hooks[event.thread];
    if (kTimeSteps.has(event.kind)) hooks[event.thread] = 0;
  }
  return trace;
}

std::vector<std::uint64_t> run_under(const SmallTrace& trace, const std::string& json) {
  std::vector<std::byte> memory(std::size_t{1} << 20);
  Arena arena(memory);
  Schedule schedule;
  if (const ScheduleError error = parse_schedule(json, arena, schedule); !error.ok()) die(error.message);
  Strategy* const fallback = make_non_preemptive(schedule, arena);
  Strategy* const strategy = follow_constraints(schedule, *fallback, arena);
  if (strategy == nullptr) die("out of memory");
  Run run(trace);
  std::vector<std::uint64_t> positions;
  std::optional<std::uint32_t> last;
  for (std::uint64_t step = 0;; ++step) {
    const std::vector<Candidate> candidates = run.candidates();
    if (candidates.empty()) break;
    Moment now{step, candidates, Moment::kNobody};
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (last == candidates[i].thread) now.current = i;
    last = candidates[strategy->choose(now)].thread;
    positions.push_back(run.perform(ThreadId(*last)));
  }
  return positions;
}

}  // namespace ravel
