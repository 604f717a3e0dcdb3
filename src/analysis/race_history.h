// RaceHistory: what a race check remembers of the accesses to each variable, as FastTrack does (Flanagan and
// Freund 2009): one epoch for the last write and one for the last read while accesses are ordered, lists per
// thread only when they are not (reads by several threads, atomic accesses, after a race).
//
// Guarantee: with any clocks that grow along a partial order, an access is found to race iff some earlier
// clashing access is not covered by the thread's clock: FastTrack's epochs lose such accesses after the first
// race of a variable, this does not. (Only per-thread last accesses are kept, so not every earlier partner is
// named.)
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/vector_clock.h"
#include "event/event.h"
#include "trace/large_memory.h"

namespace ravel {

class RaceHistory {
 public:
  /// Is told of each race: the earlier access, with its time, and the event that races with it.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual void race(const Involved& first, Epoch when, const Event& second) = 0;
  };

  /// Checks and remembers an access by a thread whose clock is `clock`, at local time `now`.
  void read(const Event& event, Epoch now, const VectorClock& clock, Observer& observer) {
    State& state = at(event.variable());
    if (state.read.epoch == now)
      return;  // [READ SAME EPOCH]: who came between would have raced with that read
    if (clock.covers(state.write.epoch) && clock.covers(state.read.epoch)) [[likely]] {
      state.read = Access(event, now);  // [READ EXCLUSIVE]
    } else {
      slow_read(event, now, clock, &observer);
    }
  }
  /// True if the variable may have been accessed atomically since its last plain write.
  bool write(const Event& event, Epoch now, const VectorClock& clock, Observer& observer) {
    State& state = at(event.variable());
    if (state.write.epoch == now) return false;  // [WRITE SAME EPOCH]
    if (clock.covers(state.write.epoch) && clock.covers(state.read.epoch)) [[likely]] {
      state.write = Access(event, now);  // [WRITE EXCLUSIVE]
      state.read.epoch = {};
      return false;
    }
    slow_write(event, now, clock, &observer);
    return true;
  }
  void atomic(const Event& event, Epoch now, const VectorClock& clock, Observer& observer) {
    if (!remember_if_unraced(event, now, clock)) raced_atomic(event, now, clock, observer);
  }
  /// Remembers a plain access if all before it are ordered before it. False: nothing was done.
  bool remember_if_ordered(const Event& event, Epoch now, const VectorClock& clock) {
    State& state = at(event.variable());
    if (!clock.covers(state.write.epoch) || !clock.covers(state.read.epoch)) return false;
    if (event.kind == EventKind::Write) {
      if (state.write.epoch == now) return true;
      state.write = Access(event, now);
      state.read.epoch = {};
    } else if (state.read.epoch != now) {
      state.read = Access(event, now);
    }
    return true;
  }
  /// Remembers an atomic access if it races with none. False: nothing was done.
  bool remember_if_unraced(const Event& event, Epoch now, const VectorClock& clock) {
    Lists& before = unfold(event.variable());
    const bool load = event.kind == EventKind::AtomicLoad;
    // Of plain reads and writes; they come first.
    for (std::uint32_t i = load ? before.ends[kRead] : 0; i < before.ends[kWrite]; ++i)
      if (!clock.covers(before.all[i].epoch)) return false;
    before.entry(load ? kAtomicLoad : kAtomicStore, event.thread) = Access(event, now);
    return true;
  }
  /// Remembers an access that find_races() has just told of no race of.
  void remember_unraced(const Event& event, Epoch now, const VectorClock& clock) {
    if (is_atomic(event.kind)) {
      remember_if_unraced(event, now, clock);
      return;
    }
    if (remember_if_ordered(event, now, clock)) return;
    if (event.kind == EventKind::Write)
      slow_write(event, now, clock, nullptr);
    else
      slow_read(event, now, clock, nullptr);
  }
  /// Tells of every race of an access without remembering it.
  void find_races(const Event& event, const VectorClock& clock, Observer& observer);
  /// An access that was reported late: it was at local time `then`, and is ordered after all that it clashes
  /// with.
  void remember(const Event& event, Epoch then);

  /// The resolver's lifetime events.
  void split(const Event& event);
  void retire(const Event& event);

  /// Starts loading the state of a variable that will be accessed soon, and then its lists, if it has any.
  [[gnu::always_inline]] void prefetch(VariableId variable) const {
    if (variable.index() < states_.size()) __builtin_prefetch(&states_[variable.index()]);
  }

  [[gnu::always_inline]] void prefetch_lists(VariableId variable) const {
    if (variable.index() >= states_.size() || !has_lists(states_[variable.index()])) return;
    const Lists& soon = lists_[states_[variable.index()].write.epoch.time() - 1];
    __builtin_prefetch(&soon);
    __builtin_prefetch(soon.ends.data());
  }

 private:
  struct Access {
    Epoch epoch;
    std::uint64_t position = 0;
    PlaceId place;
    LocksetId held;
    StackId stack;
    std::uint32_t ordinal = 0;

    Access() = default;
    Access(const Event& event, Epoch now)
        : epoch(now),
          position(event.position),
          place(event.place),
          held(event.held()),
          stack(event.stack),
          ordinal(event.ordinal) {}
  };
  // The classes of accesses that are kept apart: two atomic ones never race.
  enum Class : std::uint8_t { kRead, kWrite, kAtomicLoad, kAtomicStore, kClasses };
  struct Lists {
    boost::container::small_vector<Access, 3>
        all;  ///< each thread's last one of each class, by class and thread
    std::array<std::uint32_t, kClasses> ends{};  ///< of the classes in `all`
    bool raced = false;                          ///< something in here is unordered: nothing may be skipped

    std::span<const Access> of(Class which) const {
      const std::uint32_t begin = which == 0 ? 0 : ends[which - 1];
      return std::span(all).subspan(begin, ends[which] - begin);
    }
    /// The thread's one; a new one has time 0.
    Access& entry(Class which, ThreadId thread) {
      const std::uint32_t begin = which == 0 ? 0 : ends[which - 1];
      constexpr std::uint32_t kFew = 4;
      const std::uint32_t end = std::min(ends[which], begin + kFew);
      for (std::uint32_t i = begin; i < end; ++i)
        if (all[i].epoch.thread() == thread) return all[i];
      return other_entry(which, thread);
    }
    Access& other_entry(Class which, ThreadId thread);
  };
  /// W_x and R_x, in one cache line. A variable with lists has an epoch in `write` that no clock covers, so
  /// that the fast paths need not ask, and none in `read`. So has one that was never written and that two
  /// threads have read, as late accesses tell of much memory: `write` is then the other thread's read, with
  /// kSecondRead in its epoch.
  struct alignas(64) State {
    Access write;
    Access read;
  };
  static_assert(sizeof(State) == 64);

  static constexpr ThreadId kNobody{};
  static Epoch lists_epoch(std::size_t index) { return {kNobody, static_cast<Time>(index + 1)}; }
  static bool has_lists(const State& state) { return state.write.epoch.thread() == kNobody; }
  static constexpr std::uint64_t kSecondRead = std::uint64_t{1} << 63;  ///< no thread has so high a number
  static bool has_second_read(const State& state) {
    return (state.write.epoch.bits & kSecondRead) != 0 && !has_lists(state);
  }
  static Access second_read(const State& state) {
    Access read = state.write;
    read.epoch.bits &= ~kSecondRead;
    return read;
  }
  static bool is_new(const State& state) { return state.write.epoch.none() && state.read.epoch.none(); }
  Lists& lists(const State& state) { return lists_[state.write.epoch.time() - 1]; }

  State& at(VariableId variable) {
    if (variable.index() >= states_.size()) [[unlikely]]
      states_.grow(variable.index() + 1);
    return states_[variable.index()];
  }
  /// The variable's lists; made from its epochs if it had none.
  Lists& unfold(VariableId variable) {
    State& state = at(variable);
    return has_lists(state) ? lists(state) : make_lists(state);
  }
  Lists& make_lists(State& state);
  void fold(State& state);
  bool remember_second_read(State& state, const Event& event, Epoch then);
  // Without an observer: nothing races.
  void slow_read(const Event& event, Epoch now, const VectorClock& clock, Observer* observer);
  void slow_write(const Event& event, Epoch now, const VectorClock& clock, Observer* observer);
  void raced_atomic(const Event& event, Epoch now, const VectorClock& clock, Observer& observer);
  static bool check(const Lists& lists, Class with, const Event& event, const VectorClock& clock,
                    Observer* observer);
  static void tell(const Access& access, Class which, const Event& second, Observer& observer);

  LargeTable<State> states_;  ///< by variable; zeros are the state of one that nobody has accessed
  LargeList<Lists> lists_;
  std::vector<Epoch> free_lists_;  ///< as in State::write
};

}  // namespace ravel
