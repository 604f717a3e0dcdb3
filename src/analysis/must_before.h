// MustBefore: the state and the rules of Embracer (Sadowski 2012, ch. 15 and 16), which tell what must come
// before what: program order, the order of clashing accesses, fork and join, and rel(k) before acq(h) of two
// sections of a lock whenever acq(k) is before rel(h) (Definition 8, condition 3).
//
// That edge is found at rel(h) and ends at an acquire in the past: it is an extra edge of E, and the clocks
// since have to be adjusted by E (15.1). So a clock is kept once for each stretch of a thread's events
// between which it learned nothing, and the clock of an event is only its local time. A new edge raises the
// thread's stretches since the acquire; if other threads learned of these meanwhile, the steps by which
// everybody learned are repeated from there, before anything is decided.
//
// Clashing accesses that the clocks leave unordered wait in B until no section is open; then E is complete
// for all events so far and settle() decides them. Corrections of Figure 15.1: A_m is the clock after the
// increment; condition 3 is applied again where clocks rose, until E does not grow; of each thread all
// sections are kept, and the latest that qualifies counts.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/recorder_times.h"
#include "analysis/vector_clock.h"
#include "event/event.h"
#include "trace/large_memory.h"

namespace ravel {

class MustBefore {
 public:
  struct Access {
    Epoch when;  ///< after the access; of one that was reported late, the last time it can have been
    Involved involved;
  };
  struct alignas(64) Variable {
    Access write;        ///< W_x
    bool stale = false;  ///< that write came after all that follows: the next read begins anew
    /// R_x, not joined, so that reads can be named: the last one, and of each thread the last plain and the
    /// last atomic one that it does not stand for. If the last write was atomic, `others` has the last plain
    /// one, too.
    Access read;
    std::vector<Access> others;
  };
  static_assert(sizeof(Variable) == 128);
  /// An open section: A_m
  struct Open {
    LockId lock;
    bool shared = false;
    Epoch acquired;
    std::uint32_t stretch = 0;  ///< the first that an edge into the section raises
    std::uint32_t step = 0;     ///< in which that stretch began
  };
  /// An ended one, in H_m.
  struct Section {
    Time acquired = 0;
    Time released = 0;
    std::uint32_t number = 0;  ///< among all of the lock, by their ends
  };
  /// In E: from a release to an acquire.
  struct Edge {
    Epoch release;
    Epoch acquire;
    std::uint32_t step = 0;  ///< as in Open
  };
  /// In B: a pair of clashing accesses, and the time before the second one.
  struct Pair {
    Epoch first_when;
    Involved first;
    Involved second;
    VariableId variable;
    Epoch before;
  };

  /// Accesses will be reported late: a thread then gets a new time after each of kTimeSteps, too.
  void expect_late_accesses() { late_ = true; }

  /// All events but accesses.
  void synchronize(const Event& event);
  /// An access in all its parts, with the lifetime events among them.
  void access(std::span<const Event> parts);
  /// The resolver's lifetime events.
  void lifetime(const Event& event);
  /// Starts loading what is known of a variable that will be accessed soon.
  void prefetch(VariableId variable) const {
    if (variable.index() >= variables_.size()) return;
    __builtin_prefetch(&variables_[variable.index()].write);
    __builtin_prefetch(&variables_[variable.index()].others);
  }

  bool closed() const { return open_count_ == 0; }
  /// What there is to repeat takes more memory than it should.
  bool full() const { return window_times_ > kMaxTimes / 4 || steps_.size() > kMaxSteps; }
  /// Completes E, removes the pairs that it orders from B, and returns those that are left. All sections
  /// count as ended; what their real ends add comes too late for what is decided.
  std::vector<Pair> settle();

  // For tests: the state as the paper shows it.
  Time C(ThreadId thread, ThreadId entry) { return known({thread, state(thread).now}, entry); }
  /// The clock of an event, adjusted by E.
  Time known(Epoch when, ThreadId entry) const {
    return entry == when.thread() ? when.time() : K(when)[entry];
  }
  const Variable* variable(VariableId variable) const {
    return variable.index() < variables_.size() ? &variables_[variable.index()] : nullptr;
  }
  std::span<const Edge> E() const { return E_; }
  std::span<const Pair> B() const { return B_; }
  std::span<const Section> H(LockId lock, ThreadId thread) const;  ///< the exclusive ones
  const Open* A(LockId lock) const;

 private:
  static constexpr std::size_t kMaxTimes = std::size_t{1} << 24;
  static constexpr std::size_t kMaxSteps = std::size_t{1} << 21;
  static constexpr std::size_t kMaxSections = std::size_t{1} << 24;
  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

  /// Events of a thread between which it learned nothing. Its own entry in K does not count.
  struct Stretch {
    Time from = 0;
    VectorClock K;
  };
  struct ThreadState {
    Time now = 1;                                              ///< of the last event
    std::vector<Stretch> stretches = std::vector<Stretch>(1);  ///< the last is C_t
    std::vector<Open> open;
    // Since settle():
    std::uint32_t begun = kNever;  ///< step of the last stretch
    Time published = 0;            ///< the last time that another thread learned of
    std::uint32_t released = 0;    ///< stretch of the last release
  };
  /// What the clocks are made of since settle(), to repeat it.
  struct Step {
    enum class Kind : std::uint8_t { Begin, Learn, Release } kind;
    ThreadId thread;
    std::uint32_t index = 0;  ///< the stretch that begins or learns, or in ended_
    Epoch from;               ///< what is learned
  };
  /// A section that ended since settle().
  struct Ended {
    Open opened;
    Epoch released;
    std::uint32_t stretch = 0;  ///< that of the release
  };
  /// H_m
  struct History {
    /// By thread: exclusive ones and shared ones, oldest first.
    boost::unordered_flat_map<ThreadId, std::array<std::vector<Section>, 2>> sections;
    // By thread, to see quickly whom to ask:
    std::vector<Time> acquired;  ///< the first
    std::vector<Time> released;  ///< the last
    std::uint32_t count = 0;
  };
  struct Barrier {
    struct Round {
      std::vector<Epoch> arrivals;
      Epoch together;  ///< the first exit, which knows them all
      std::uint32_t inside = 0;
    };
    std::deque<Round> rounds;  ///< as in SyncClocks
    std::uint64_t first = 0;
    boost::unordered_flat_map<ThreadId, std::uint64_t> entered;
  };

  ThreadState& state(ThreadId thread) {
    if (thread.index() >= threads_.size()) [[unlikely]]
      threads_.resize(thread.index() + 1);
    return threads_[thread.index()];
  }
  const VectorClock& K(Epoch when) const;
  void raise(VectorClock& clock, Epoch from) const;
  void begin_stretch(ThreadId thread);
  void learn(ThreadId thread, Epoch from);
  void learn_access(ThreadId thread, const Access& access);
  void acquire(const Event& event);
  void release(const Event& event);
  void barrier(const Event& event);
  void keep(const Ended& section);
  Variable& at(VariableId variable);
  void check(const Event& event, const Variable& x, const ThreadState& self);
  void suspect(const Access& first, const Event& second, const ThreadState& self);
  void record(const Event& event, Epoch when);
  void record_read(Variable& x, const Access& read);
  static void put(Variable& x, const Access& other);

  void condition_3(const Ended& section);
  void add_edge(Epoch release, const Ended& section);
  void repeat();
  void begin_window();
  void thin();

  std::vector<ThreadState> threads_;
  RecorderTimes recorder_;
  bool late_ = false;
  std::vector<Variable, LargeAllocator<Variable>> variables_;
  std::vector<History> H_;  ///< by lock
  std::size_t sections_ = 0;
  std::vector<Edge> E_;
  std::vector<Pair> B_;
  boost::unordered_flat_map<LockId, Epoch> N_;  ///< the last notify of a condition
  boost::unordered_flat_map<LockId, Barrier> barriers_;
  std::size_t open_count_ = 0;
  std::size_t times_ = 0;  ///< in all stretches

  // Since settle().
  std::size_t window_times_ = 0;
  std::vector<Step> steps_;
  std::vector<Ended> ended_;
  std::uint32_t repeat_from_ = kNever;  ///< an edge into a stretch of this step came too late
};

}  // namespace ravel
