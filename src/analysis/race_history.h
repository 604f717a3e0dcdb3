// RaceHistory: what a race check remembers of the accesses to each variable, as FastTrack does (Flanagan and
// Freund 2009): one epoch for the last write and one for the last read while accesses are ordered, lists per
// thread only when they are not (reads by several threads, atomic accesses, after a race).
//
// Guarantee: with any clocks that grow along a partial order, an access is found to race iff some earlier
// clashing access is not covered by the thread's clock: FastTrack's epochs lose such accesses after the first
// race of a variable, this does not. (Only per-thread last accesses are kept, so not every earlier partner is
// named.)
#pragma once

#include <array>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/vector_clock.h"
#include "event/event.h"

namespace ravel {

class RaceHistory {
 public:
  /// Is told of each race: the variable, the earlier access and the event that races with it.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual void race(const Involved& first, const Event& second) = 0;
  };

  /// Checks and remembers an access by a thread whose clock is `clock`, at local time `now`.
  void read(const Event& event, Epoch now, const VectorClock& clock, Observer& observer) {
    State& state = at(event.variable());
    if (state.read.epoch == now) [[likely]]
      return;  // [READ SAME EPOCH]: whoever came between would have raced with that read
    if (!state.lists.valid()) [[likely]] {
      if (clock.covers(state.write.epoch)) [[likely]] {
        if (clock.covers(state.read.epoch)) [[likely]] {
          state.read.assign(event, now);  // [READ EXCLUSIVE]
          return;
        }
      }
      unfold(state);
    }
    slow_read(state, event, now, clock, observer);
  }
  void write(const Event& event, Epoch now, const VectorClock& clock, Observer& observer) {
    State& state = at(event.variable());
    if (state.write.epoch == now) [[likely]]
      return;  // [WRITE SAME EPOCH]
    if (!state.lists.valid()) [[likely]] {
      if (clock.covers(state.write.epoch) && clock.covers(state.read.epoch)) [[likely]] {
        state.write.assign(event, now);  // [WRITE EXCLUSIVE]
        state.read.epoch = {};
        return;
      }
      unfold(state);
    }
    slow_write(state, event, now, clock, observer);
  }
  void atomic(const Event& event, Epoch now, const VectorClock& clock, Observer& observer);
  /// An access that was reported late: it came first at local time `then`, when no other thread had touched
  /// the variable.
  void remember(const Event& event, Epoch then);

  /// The resolver's lifetime events.
  void split(const Event& event);
  void retire(const Event& event);

  /// Starts loading the state of a variable that will be accessed soon.
  void prefetch(VariableId variable) const {
    if (variable.index() < states_.size()) __builtin_prefetch(&states_[variable.index()]);
  }

 private:
  struct Access {
    Epoch epoch;
    std::uint64_t position = 0;
    PlaceId place;
    LocksetId held;

    void assign(const Event& event, Epoch now) {
      epoch = now;
      position = event.position;
      place = event.place;
      held = event.held();
    }
  };
  // The classes of accesses that are kept apart: two atomic ones never race.
  enum Class : std::uint8_t { kRead, kWrite, kAtomicLoad, kAtomicStore, kClasses };
  struct Lists {
    std::array<std::vector<Access>, kClasses> of;  ///< each thread's last one, sorted by thread
    bool raced = false;                            ///< something in here is unordered: nothing may be skipped
  };
  using ListsId = Id<struct ListsTag>;
  /// `lists` invalid: read and write say all. Else both are empty.
  struct State {
    Access write;  ///< W_x
    Access read;   ///< R_x
    ListsId lists;
  };

  State& at(VariableId variable) {
    if (variable.index() >= states_.size()) [[unlikely]]
      states_.resize(std::max(variable.index() + 1, states_.size() * 2));
    return states_[variable.index()];
  }
  void unfold(State& state);
  void fold(State& state);
  void slow_read(State& state, const Event& event, Epoch now, const VectorClock& clock, Observer& observer);
  void slow_write(State& state, const Event& event, Epoch now, const VectorClock& clock, Observer& observer);
  static bool check(Lists& lists, Class with, const Event& event, const VectorClock& clock,
                    Observer& observer);
  static Access& entry(std::vector<Access>& list, ThreadId thread);

  std::vector<State> states_;
  std::vector<Lists> lists_;
  std::vector<ListsId> free_lists_;
};

}  // namespace ravel
