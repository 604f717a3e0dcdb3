#include "analysis/race_history.h"

#include <algorithm>
#include <utility>

namespace ravel {
namespace {

constexpr std::array kKindOfClass = {EventKind::Read, EventKind::Write, EventKind::AtomicLoad,
                                     EventKind::AtomicStore};

}  // namespace

RaceHistory::Access& RaceHistory::Lists::other_entry(Class which, ThreadId thread) {
  const std::uint32_t begin = which == 0 ? 0 : ends[which - 1];
  const auto at = std::ranges::lower_bound(all.begin() + begin, all.begin() + ends[which], thread, {},
                                           [](const Access& a) { return a.epoch.thread(); });
  if (at != all.begin() + ends[which] && at->epoch.thread() == thread) return *at;
  for (std::size_t i = which; i < kClasses; ++i) ++ends[i];
  return *all.insert(at, Access(Event{}, Epoch(thread, 0)));
}

RaceHistory::Lists& RaceHistory::make_lists(State& state) {
  const State old = std::exchange(state, {});
  if (free_lists_.empty()) {
    lists_.emplace_back();
    state.write.epoch = lists_epoch(lists_.size() - 1);
  } else {
    state.write.epoch = free_lists_.back();
    free_lists_.pop_back();
  }
  Lists& unfolded = lists(state);
  if (has_second_read(old))
    unfolded.entry(kRead, second_read(old).epoch.thread()) = second_read(old);
  else if (!old.write.epoch.none())
    unfolded.entry(kWrite, old.write.epoch.thread()) = old.write;
  if (!old.read.epoch.none()) unfolded.entry(kRead, old.read.epoch.thread()) = old.read;
  return unfolded;
}

void RaceHistory::fold(State& state) {
  if (has_lists(state)) {
    Lists& unused = lists(state);
    unused.all.clear();
    unused.ends = {};
    unused.raced = false;
    free_lists_.push_back(state.write.epoch);
  }
  state = {};
}

void RaceHistory::tell(const Access& access, Class which, const Event& second, Observer& observer) {
  Involved first;
  first.position = access.position;
  first.thread = access.epoch.thread();
  first.place = access.place;
  first.held = access.held;
  first.stack = access.stack;
  first.ordinal = access.ordinal;
  first.kind = kKindOfClass[which];
  observer.race(first, access.epoch, second);
}

// Reports every access of one class that is unordered with the event; true if there was one.
inline bool RaceHistory::check(const Lists& lists, Class with, const Event& event, const VectorClock& clock,
                               Observer* observer) {
  bool raced = false;
  if (observer == nullptr) return raced;
  for (const Access& access : lists.of(with)) {
    if (clock.covers(access.epoch)) continue;
    raced = true;
    tell(access, with, event, *observer);
  }
  return raced;
}

void RaceHistory::find_races(const Event& event, const VectorClock& clock, Observer& observer) {
  State& state = at(event.variable());
  const bool write = is_write(event.kind), plain = !is_atomic(event.kind);
  if (has_lists(state)) {
    const Lists& before = lists(state);
    check(before, kWrite, event, clock, &observer);
    if (plain) check(before, kAtomicStore, event, clock, &observer);
    if (write) check(before, kRead, event, clock, &observer);
    if (write && plain) check(before, kAtomicLoad, event, clock, &observer);
    return;
  }
  if (has_second_read(state)) {
    // In the order of lists.
    Access reads[] = {state.read, second_read(state)};
    if (reads[1].epoch.thread() < reads[0].epoch.thread()) std::swap(reads[0], reads[1]);
    for (const Access& read : reads)
      if (write && !clock.covers(read.epoch)) tell(read, kRead, event, observer);
    return;
  }
  if (!clock.covers(state.write.epoch)) tell(state.write, kWrite, event, observer);
  if (write && !clock.covers(state.read.epoch)) tell(state.read, kRead, event, observer);
}

void RaceHistory::slow_read(const Event& event, Epoch now, const VectorClock& clock, Observer* observer) {
  Lists& before = unfold(event.variable());
  Access& mine = before.entry(kRead, event.thread);
  if (mine.epoch == now && !before.raced) return;
  before.raced |= check(before, kWrite, event, clock, observer);
  before.raced |= check(before, kAtomicStore, event, clock, observer);
  mine = Access(event, now);
  // Accesses that were reported late make lists of variables that need none. If this read is ordered after
  // all of the few there are, whoever is ordered after it is ordered after them, and who is not races with
  // it, or with the one write.
  const auto is_covered = [&](const Access& access) { return clock.covers(access.epoch); };
  if (before.raced || before.of(kWrite).size() > 1 || !before.of(kAtomicLoad).empty() ||
      !before.of(kAtomicStore).empty() || !std::ranges::all_of(before.all, is_covered))
    return;
  const Access write = before.of(kWrite).empty() ? Access() : before.of(kWrite).front();
  State& state = at(event.variable());
  fold(state);
  state.write = write;
  state.read = Access(event, now);
}

void RaceHistory::slow_write(const Event& event, Epoch now, const VectorClock& clock, Observer* observer) {
  Lists& before = unfold(event.variable());
  bool raced = false;
  for (const Class with : {kRead, kWrite, kAtomicLoad, kAtomicStore})
    raced |= check(before, with, event, clock, observer);
  if (raced) {
    before.raced = true;
    before.entry(kWrite, event.thread) = Access(event, now);
    return;
  }
  // Everything before is ordered before this write: whoever is ordered after the write is ordered after all
  // of it.
  State& state = at(event.variable());
  fold(state);
  state.write = Access(event, now);
}

void RaceHistory::raced_atomic(const Event& event, Epoch now, const VectorClock& clock, Observer& observer) {
  Lists& before = unfold(event.variable());
  const bool load = event.kind == EventKind::AtomicLoad;
  before.raced |= check(before, kWrite, event, clock, &observer);
  if (!load) before.raced |= check(before, kRead, event, clock, &observer);
  before.entry(load ? kAtomicLoad : kAtomicStore, event.thread) = Access(event, now);
}

void RaceHistory::remember(const Event& event, Epoch then) {
  const bool is_write = event.kind == EventKind::RetroWrite;
  if (event.is_late_atomic()) {
    Access& mine = unfold(event.variable()).entry(is_write ? kAtomicStore : kAtomicLoad, event.thread);
    if (mine.epoch.time() < then.time()) mine = Access(event, then);
    return;
  }
  State& state = at(event.variable());
  if (!is_write && remember_second_read(state, event, then)) return;
  Access& alone = is_write ? state.write : state.read;
  // An epoch is as good as a list of one.
  const bool fits = !has_lists(state) && !has_second_read(state) &&
                    (alone.epoch.none() || alone.epoch.thread() == event.thread);
  Access& mine = fits ? alone : unfold(event.variable()).entry(is_write ? kWrite : kRead, event.thread);
  if (mine.epoch.time() >= then.time()) return;
  mine = Access(event, then);
}

/// A late read where there are only reads, of two threads with this one. False: it is something else.
bool RaceHistory::remember_second_read(State& state, const Event& event, Epoch then) {
  const bool is_first = state.read.epoch.thread() == event.thread;
  if (has_second_read(state)) {
    if (!is_first && second_read(state).epoch.thread() != event.thread) return false;
  } else if (is_first || state.read.epoch.none() || !state.write.epoch.none()) {
    return false;
  }
  Access& mine = is_first ? state.read : state.write;
  if (mine.epoch.time() >= then.time()) return true;
  mine = Access(event, then);
  if (!is_first) mine.epoch.bits |= kSecondRead;
  return true;
}

void RaceHistory::split(const Event& event) {
  retire(event);
  if (event.split_from().index() >= states_.size()) return;
  const State whole = states_[event.split_from().index()];
  if (has_lists(whole)) {
    unfold(event.variable()) = lists(whole);
  } else if (!is_new(whole)) {
    at(event.variable()) = whole;
  }
}

// What nobody has accessed here takes no memory, and stays like that.
void RaceHistory::retire(const Event& event) {
  if (event.variable().index() >= states_.size()) return;
  if (State& state = states_[event.variable().index()]; !is_new(state)) fold(state);
}

}  // namespace ravel
