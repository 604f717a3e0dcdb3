#include "witness/shrinker.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "event/well_formed.h"

namespace ravel {
namespace {

using Drop = std::vector<bool>;  // by event

/// The trace without some events, renumbered.
SmallTrace without(const SmallTrace& trace, const Drop& drop) {
  SmallTrace result{trace.header, trace.tables, {}};
  std::map<std::uint64_t, std::uint64_t> memory;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (drop[i]) continue;
    Event event = trace.events[i];
    event.position = result.events.size() + 1;
    event.place = PlaceId(result.events.size());
    if (event.has_value && is_access(event.kind)) {
      if (is_write(event.kind))
        memory[event.target] = event.value;
      else
        event.value = memory[event.target];
    }
    if (event.kind == EventKind::Alloc || event.kind == EventKind::Free) memory[event.target] = 0;
    result.events.push_back(event);
  }
  result.tables.places.resize(result.events.size());
  return result;
}

/// Sets of events to try to delete, the large ones first.
std::vector<Drop> proposals(const SmallTrace& trace) {
  const auto& events = trace.events;
  std::vector<Drop> result;
  const auto propose = [&](const auto& belongs) {
    Drop drop(events.size());
    bool any = false;
    for (std::size_t i = 0; i < events.size(); ++i) {
      drop[i] = belongs(i);
      any |= drop[i];
    }
    if (any) result.push_back(std::move(drop));
  };
  std::set<ThreadId> threads;
  std::set<std::pair<TargetSpace, std::uint64_t>> objects;
  for (const Event& event : events) {
    threads.insert(event.thread);
    const TargetSpace space = target_space(event.kind);
    if (space != TargetSpace::None && space != TargetSpace::Thread) objects.insert({space, event.target});
  }
  for (std::size_t size = events.size() / 2; size >= 2; size /= 2)
    for (std::size_t begin = 0; begin < events.size(); begin += size)
      propose([&](std::size_t i) { return i >= begin && i < begin + size; });
  for (const ThreadId thread : threads)
    propose([&](std::size_t i) {
      const bool names =
          target_space(events[i].kind) == TargetSpace::Thread && events[i].other_thread() == thread;
      return events[i].thread == thread || names;
    });
  for (const auto& object : objects)
    propose(
        [&](std::size_t i) { return std::pair(target_space(events[i].kind), events[i].target) == object; });
  // An event with a later one of its thread on the same object: sections, units, waits, passages of a
  // barrier.
  for (std::size_t first = 0; first < events.size(); ++first)
    for (std::size_t second = first + 1; second < events.size(); ++second)
      if (events[first].thread == events[second].thread && events[first].target == events[second].target &&
          !is_access(events[first].kind) &&
          target_space(events[first].kind) == target_space(events[second].kind))
        propose([&](std::size_t i) { return i == first || i == second; });
  for (std::size_t one = 0; one < events.size(); ++one) propose([&](std::size_t i) { return i == one; });
  return result;
}

}  // namespace

std::optional<std::string> generator_rule_broken(const SmallTrace& trace) {
  WellFormed rules;
  std::vector<Event> events = trace.events;
  if (const auto violation = rules.filter(events, false)) return std::string(rule_text(violation->rule));
  if (rules.reentrant() > 0) return "acquires a lock again";
  std::set<std::pair<ThreadId, std::uint64_t>> inside;  // barriers and conditions, by thread
  std::vector<Event> freed;
  for (const Event& event : trace.events) {
    const std::pair key(event.thread, event.target);
    if (event.kind == EventKind::BarrierEnter || event.kind == EventKind::WaitBegin) inside.insert(key);
    if ((event.kind == EventKind::BarrierExit || event.kind == EventKind::WaitEnd) && inside.erase(key) == 0)
      return "leaves what it did not enter";
    if (event.kind == EventKind::Alloc)
      std::erase_if(freed, [&](const Event& block) { return overlap(block, event); });
    const bool uses = is_access(event.kind) || event.kind == EventKind::Free;
    for (const Event& block : freed)
      if (uses && overlap(block, event)) return "uses memory that was freed";
    if (event.kind == EventKind::Free) freed.push_back(event);
  }
  return std::nullopt;
}

SmallTrace shrink(SmallTrace trace, const std::function<bool(const SmallTrace&)>& fails) {
  CHECK(fails(trace), "there is nothing to keep while shrinking");
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const Drop& drop : proposals(trace)) {
      SmallTrace candidate = without(trace, drop);
      if (generator_rule_broken(candidate) || !fails(candidate)) continue;
      trace = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return trace;
}

}  // namespace ravel
