// MustBefore: the state and the rules of Embracer (Sadowski 2012, ch. 15 and 16), which tell what must come
// before what: program order, the order of clashing accesses, fork and join, and rel(k) before acq(h) of two
// sections of a lock whenever acq(k) is before rel(h) (Definition 8, condition 3).
//
// That edge ends at an acquire in the past, which the clocks of later events do not know: it is an extra edge
// of E, and every use of a clock since has to be adjusted by E (15.1). Clashing accesses that the clocks
// leave unordered wait in B until no section is open; then E is complete for all events so far and settle()
// decides them. Corrections of Figure 15.1: A_m is the clock after the increment; condition 3 is applied
// again to all sections that ended since the last decision, until E does not grow; of each thread all
// sections are kept, and the latest that qualifies counts.
//
// Once decided, all clocks are adjusted for good, and E and B are empty again; so that they cost little, the
// clocks of events between which a thread learns nothing share one snapshot.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/vector_clock.h"
#include "event/event.h"

namespace ravel {

class MustBefore {
 public:
  /// What a thread knows of others; its own entry is that of some event, and does not count.
  struct Snapshot {
    ThreadId thread;
    VectorClock K;
  };
  /// K of an event.
  struct Clock {
    Epoch own;
    std::shared_ptr<const Snapshot> others;

    bool none() const { return own.none(); }
    Time operator[](ThreadId thread) const {
      return thread == own.thread() ? own.time() : (others ? others->K[thread] : Time{0});
    }
  };
  struct Access {
    Clock clock;  ///< after the access
    Involved involved;
    bool atomic = false;
  };
  /// W_x and R_x. (R_x is not joined: of each thread the last read is kept, and it can be named.)
  struct Variable {
    Access write;
    Access plain_write;  ///< if the last write was atomic: the last plain one
    std::vector<Access> reads;
    bool stale_reads = false;  ///< a write came since: the next read begins anew
  };
  /// An open section: A_m
  struct Open {
    LockId lock;
    bool shared = false;
    Clock acquired;
    std::uint64_t order = 0;  ///< of the acquire among all
  };
  /// An ended one, in H_m.
  struct Section {
    Time acquired = 0;
    Clock released;
    bool shared = false;
  };
  /// In E: from a release to an acquire.
  struct Edge {
    Clock release;
    Epoch acquire;
    std::uint64_t order = 0;  ///< of the acquire
  };
  /// In B: a pair of clashing accesses, and the clock before the second one.
  struct Pair {
    Epoch first_when;
    Involved first;
    Involved second;
    VariableId variable;
    Clock before;
  };

  /// Accesses will be reported late: a thread then gets a new time at each of kTimeSteps, too.
  void expect_late_accesses() { late_ = true; }

  /// All events but accesses.
  void synchronize(const Event& event);
  /// An access in all its parts, with the lifetime events among them.
  void access(std::span<const Event> parts);
  /// The resolver's lifetime events.
  void lifetime(const Event& event);

  bool closed() const { return open_count_ == 0; }
  /// Completes E, removes the pairs that it orders from B, and returns those that are left. All sections
  /// count as ended.
  std::vector<Pair> settle();

  // For tests: the state as the paper shows it.
  Time C(ThreadId thread, ThreadId entry) { return state(thread).C[entry]; }
  const Variable* variable(VariableId variable) const {
    return variable.index() < variables_.size() ? &variables_[variable.index()] : nullptr;
  }
  std::span<const Edge> E() const { return E_; }
  std::span<const Pair> B() const { return B_; }
  std::span<const Section> H(LockId lock, ThreadId thread) const;
  const Open* A(LockId lock) const;

 private:
  struct ThreadState {
    VectorClock C;                             ///< C_t
    std::shared_ptr<const Snapshot> snapshot;  ///< of C_t; null: it has changed since
    std::vector<Open> open;
    std::vector<Clock> recorded;  ///< C_t at the end of the recorder's last times (kTimeSteps), a ring
    std::uint64_t steps = 0;      ///< of the recorder
  };
  using Sections = boost::unordered_flat_map<ThreadId, std::vector<Section>>;
  /// A section that ended since E was complete.
  struct Ended {
    LockId lock;
    Open opened;
    Clock released;
  };
  struct Barrier {
    struct Round {
      VectorClock arrivals;
      std::uint32_t inside = 0;
      bool closed = false;
    };
    std::deque<Round> rounds;  ///< as in SyncClocks
    std::uint64_t first = 0;
    boost::unordered_flat_map<ThreadId, std::uint64_t> entered;
  };
  /// The extra edges into one thread, by time: everything that is before the acquire because of them.
  struct Into {
    std::vector<Time> times;
    std::vector<VectorClock> clocks;
  };

  ThreadState& state(ThreadId thread);
  void join(ThreadState& self, const Access& access);
  static void join(ThreadState& self, const VectorClock& clock);
  Clock now(ThreadId thread);
  void increment(ThreadId thread);
  void acquire(const Event& event);
  void release(const Event& event);
  void barrier(const Event& event);
  void end_recorded_time(ThreadId thread);
  void late_access(const Event& event);
  Variable& at(VariableId variable);
  void check(const Event& event);
  void suspect(const Access& first, const Event& second);
  void record(const Event& event, const Clock& clock);

  /// Adds the edges into the section that its clocks ask for; true if there are new ones.
  bool condition_3(const Ended& section, const VectorClock& acquired, const VectorClock& released);
  void sweep();
  VectorClock adjust(const Clock& clock) const;
  void adjust(VectorClock& K) const;
  void adjust_for_good();

  std::vector<ThreadState> threads_;
  std::vector<Variable> variables_;
  std::vector<Sections> H_;  ///< by lock
  std::vector<Edge> E_;
  std::vector<Pair> B_;
  boost::unordered_flat_map<LockId, VectorClock> N_;  ///< the last notify of a condition
  boost::unordered_flat_map<LockId, Barrier> barriers_;
  std::vector<Ended> ended_;
  std::vector<std::shared_ptr<Snapshot>> snapshots_;  ///< made since E was complete
  std::vector<Into> into_;                            ///< by thread
  std::vector<ThreadId> targets_;                     ///< threads with extra edges
  bool late_ = false;
  std::size_t open_count_ = 0;
  std::uint64_t acquires_ = 0;
};

}  // namespace ravel
