#include "analysis/race_history.h"

#include <algorithm>

namespace ravel {
namespace {

constexpr std::array kKindOfClass = {EventKind::Read, EventKind::Write, EventKind::AtomicLoad,
                                     EventKind::AtomicStore};

}  // namespace

RaceHistory::Access& RaceHistory::entry(std::vector<Access>& list, ThreadId thread) {
  const auto at =
      std::ranges::lower_bound(list, thread, {}, [](const Access& a) { return a.epoch.thread(); });
  if (at != list.end() && at->epoch.thread() == thread) return *at;
  return *list.insert(at, Access{Epoch(thread, 0), 0, {}, {}});
}

void RaceHistory::unfold(State& state) {
  if (free_lists_.empty()) {
    state.lists = ListsId(lists_.size());
    lists_.emplace_back();
  } else {
    state.lists = free_lists_.back();
    free_lists_.pop_back();
  }
  Lists& lists = lists_[state.lists.index()];
  if (!state.write.epoch.none()) lists.of[kWrite].push_back(state.write);
  if (!state.read.epoch.none()) lists.of[kRead].push_back(state.read);
  state.write.epoch = state.read.epoch = {};
}

void RaceHistory::fold(State& state) {
  Lists& lists = lists_[state.lists.index()];
  for (auto& list : lists.of) list.clear();
  lists.raced = false;
  free_lists_.push_back(state.lists);
  state.lists = {};
}

// Reports every access of one class that is unordered with the event; true if there was one.
bool RaceHistory::check(Lists& lists, Class with, const Event& event, const VectorClock& clock,
                        Observer& observer) {
  bool raced = false;
  for (const Access& access : lists.of[with]) {
    if (clock.covers(access.epoch)) continue;
    raced = true;
    Involved first;
    first.position = access.position;
    first.thread = access.epoch.thread();
    first.place = access.place;
    first.held = access.held;
    first.kind = kKindOfClass[with];
    observer.race(first, event);
  }
  lists.raced |= raced;
  return raced;
}

void RaceHistory::slow_read(State& state, const Event& event, Epoch now, const VectorClock& clock,
                            Observer& observer) {
  Lists& lists = lists_[state.lists.index()];
  Access& mine = entry(lists.of[kRead], event.thread);
  if (mine.epoch == now && !lists.raced) return;
  check(lists, kWrite, event, clock, observer);
  check(lists, kAtomicStore, event, clock, observer);
  mine.assign(event, now);
}

void RaceHistory::slow_write(State& state, const Event& event, Epoch now, const VectorClock& clock,
                             Observer& observer) {
  Lists& lists = lists_[state.lists.index()];
  bool raced = false;
  for (const Class with : {kRead, kWrite, kAtomicLoad, kAtomicStore})
    raced |= check(lists, with, event, clock, observer);
  if (raced) {
    entry(lists.of[kWrite], event.thread).assign(event, now);
    return;
  }
  // Everything before is ordered before this write: whoever is ordered after the write is ordered after all
  // of it.
  fold(state);
  state.write.assign(event, now);
  state.read.epoch = {};
}

void RaceHistory::atomic(const Event& event, Epoch now, const VectorClock& clock, Observer& observer) {
  State& state = at(event.variable());
  if (!state.lists.valid()) unfold(state);
  Lists& lists = lists_[state.lists.index()];
  const bool load = event.kind == EventKind::AtomicLoad;
  check(lists, kWrite, event, clock, observer);
  if (!load) check(lists, kRead, event, clock, observer);
  entry(lists.of[load ? kAtomicLoad : kAtomicStore], event.thread).assign(event, now);
}

void RaceHistory::remember(const Event& event, Epoch then) {
  State& state = at(event.variable());
  const bool write = event.kind == EventKind::RetroWrite;
  Access& mine = state.lists.valid()
                     ? entry(lists_[state.lists.index()].of[write ? kWrite : kRead], event.thread)
                     : (write ? state.write : state.read);
  if (mine.epoch.none() || (mine.epoch.thread() == then.thread() && mine.epoch.time() < then.time()))
    mine.assign(event, then);
}

void RaceHistory::split(const Event& event) {
  at(event.variable());  // may move the states
  const State whole = at(event.split_from());
  State& part = at(event.variable());
  part = whole;
  if (!whole.lists.valid()) return;
  part.lists = {};
  unfold(part);  // takes a list of its own
  lists_[part.lists.index()] = Lists(lists_[whole.lists.index()]);
}

void RaceHistory::retire(const Event& event) {
  State& state = at(event.variable());
  if (state.lists.valid()) fold(state);
  state = {};
}

}  // namespace ravel
