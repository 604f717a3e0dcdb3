// TraceClosure: feeds the events of a trace to a SyncHistory, and keeps for every thread the sync-preserving
// closure of what it has done.
//
// What needs what (reordering.h has the same rules, for whole traces):
//   - a thread needs its fork; a join all that the joined thread did
//   - a read, plain or atomic, needs the write it saw; if a recorder dropped repetitions (FilterLevel::
//     Segment), that write may stand for a later one of the same local time, so it needs all the writer did
//     at that time
//   - leaving a barrier needs all arrivals of the passage, arriving those of the passage before
//   - the end of a wait needs every notify that fell into it; a notify needs the beginnings of the waits that
//     it fell into
//   - accesses to memory, and operations on locks in it, need what last allocated or freed it, or began or
//     ended an object there; and that, unless it is an allocation (fresh_memory.h), needs the last writes to
//     what was there before
//   - sections of locks: see sync_history.h
// Accesses that were reported late are not looked at.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "event/event.h"
#include "witness/sync_history.h"

namespace ravel {

class TraceClosure {
 public:
  /// At the beginning of a pass over the trace.
  explicit TraceClosure(const TraceContext& context);

  /// An access and everything else about the same position come in two halves. All parts of the access go
  /// through prepare(), then look around with about_to(), then all go through perform().
  void prepare(const Event& event);
  void perform(std::span<const Event> parts);
  /// Any event that is no access: both halves.
  void consume(const Event& event);
  /// For who does not look around.
  void consume(std::span<const Event> batch);

  /// What the event's thread needs to be about to do it. Others may be included on trial.
  SyncClosure& about_to(const Event& event);
  LineId line(ThreadId thread);
  std::uint32_t lock(LockId lock);
  /// The same; none of the history's if nobody has had it yet.
  std::uint32_t known_lock(LockId lock) const;
  SyncHistory& history() { return history_; }
  const SyncHistory& history() const { return history_; }

 private:
  struct LastWrite {
    LineId line;
    Mark mark = 0;  ///< 0: none
    std::uint32_t step = 0;
  };
  /// The last event that began or ended the life of some memory.
  struct Block {
    std::uint64_t end = 0;
    Reached event;
  };
  struct Variable {
    LastWrite last_write;
    Reached block;
    bool known = false;  ///< `block` was looked up
  };
  struct Lock {
    Reached block;
  };
  struct Barrier {
    LineId passages;
    Mark passage = 0;  ///< the last one that was left, on that line
    std::vector<Reached> arrived;
    bool left = true;                                  ///< arrivals belong to the next passage
    boost::unordered_flat_map<ThreadId, Mark> inside;  ///< the passage each thread arrived at
  };
  struct Condition {
    struct Wait {
      ThreadId thread;
      Reached begin;
    };
    std::vector<Wait> begun;  ///< all waits so far, in order
    boost::unordered_flat_map<ThreadId, std::size_t> open;
    boost::unordered_flat_map<ThreadId, std::size_t> seen;  ///< by notifier: waits it needs already
    boost::unordered_flat_map<ThreadId, Reached> notified;  ///< each thread's last one
  };
  struct Deferred {
    LineId line;
    Mark at = 0;
    Reached what;
    Need why = Need::Order;
  };

  LineId add_line();
  void flush();
  void flush(std::uint64_t position) {
    if (!deferred_.empty() && position != deferred_position_) flush();
  }
  /// Adds a need that must not count for what else is at the same position.
  void defer(const Event& event, Reached what, Need why);
  void need(LineId line, Mark at, Reached what, Need why);
  Variable& variable(VariableId id);
  Reached source(const LastWrite& write, Mark now) const;
  Reached find_block(std::uint64_t address) const;
  void block(const Event& event);
  void acquire(const Event& event);
  void barrier(const Event& event);
  void wait(const Event& event);
  void step(const Event& event);

  const TraceContext context_;
  const bool filtered_;
  SyncHistory history_;
  std::vector<LineId> lines_;             ///< by thread
  std::deque<SyncClosure> past_;          ///< by line
  std::vector<std::vector<Mark>> steps_;  ///< by line, if filtered: the local time's steps
  std::vector<Variable> variables_;
  std::vector<std::uint32_t> lock_ids_;             ///< by LockId: locks at one address are one
  std::map<std::uint64_t, std::uint32_t> lock_at_;  ///< by address, those of memory that is in use
  std::vector<Lock> locks_;
  std::map<std::uint64_t, Block> blocks_;  ///< by first address; they do not overlap
  boost::unordered_flat_map<LockId, Barrier> barriers_;
  boost::unordered_flat_map<LockId, Condition> conditions_;
  std::vector<Deferred> deferred_;
  std::uint64_t deferred_position_ = 0;
};

}  // namespace ravel
