// SyncpAccesses: what syncp remembers of a variable: the accesses that may be in a race with one that comes
// later, and what is known of them already.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "event/event.h"
#include "witness/sync_history.h"

namespace ravel {

/// Accesses of one thread to one variable that differ only in when they happened.
struct AlikeAccesses {
  struct Access {
    Mark mark;
    std::uint32_t size;  ///< of the line's history at the time
    StackId stack;
    std::uint32_t ordinal;
  };
  struct Reported {
    PlaceId place;
    EventKind kind;
    friend bool operator==(const Reported&, const Reported&) = default;
  };
  /// What came of looking for races: most need none of it.
  struct Tried {
    std::vector<Reported> reported;  ///< but for the last one
    boost::unordered_flat_map<LineId, Mark> absorbed;
  };

  PlaceId place;
  LocksetId held;
  EventKind kind = EventKind::Read;
  Mark last = 0;                          ///< the last access
  std::optional<Reported> last_reported;  ///< races with accesses of other threads that are like this
  Mark section_of = 0;                    ///< the access that is in `section`
  SyncHistory::SectionId section;
  std::uint32_t older = 0, newer = 0;  ///< the groups used before and after it, + 1
  std::vector<Access> accesses;        ///< in order
  std::unique_ptr<Tried> tried;

  AlikeAccesses() = default;
  AlikeAccesses(const AlikeAccesses& other);
  AlikeAccesses(AlikeAccesses&&) = default;
  AlikeAccesses& operator=(AlikeAccesses&&) = default;

  /// The index of the first access behind the mark.
  std::size_t behind(Mark mark) const;
  bool is_reported(const Reported& pair) const {
    return last_reported && (*last_reported == pair || (tried && was_reported(pair)));
  }
  void set_reported(const Reported& pair);
  /// For the accesses of another line: nothing up to this mark is a race with one that is still to come.
  Mark absorbed_by(LineId other) const;
  void absorb(LineId other, Mark mark);

 private:
  bool was_reported(const Reported& pair) const;
  Tried& results();
};

/// A thread's accesses to a variable.
class AccessesOfThread {
 public:
  AccessesOfThread(ThreadId of, LineId its_line) : thread(of), line(its_line) {}

  ThreadId thread;
  LineId line;
  Mark last = 0;  ///< the last of them

  /// What it costs to remember it.
  std::size_t add(const Event& event, std::size_t history_size);
  /// Calls a function with every group that has an access behind the mark.
  template <typename Function>
  void for_each_behind(Mark mark, const Function& call) {
    for (std::uint32_t i = newest_; i != 0 && groups_[i - 1].last > mark;) {
      const std::uint32_t older = groups_[i - 1].older;
      call(groups_[i - 1]);
      i = older;
    }
  }
  Involved involved(const AlikeAccesses& group, const AlikeAccesses::Access& access) const;

  /// Of another thread, by its number: no access up to this mark is a race with one that this thread is still
  /// to do.
  Mark absorbed(std::size_t other) const { return other < absorbed_.size() ? absorbed_[other] : 0; }
  std::size_t absorb(std::size_t other, Mark mark);

  void forget(Mark oldest);
  std::size_t cost() const;

 private:
  std::uint32_t find(const Event& event) const;
  void unlink(std::uint32_t number);
  void link(std::uint32_t number);

  std::vector<AlikeAccesses> groups_;
  std::uint32_t newest_ = 0;  ///< the group used last, + 1
  std::vector<Mark> absorbed_;
};

class SyncpAccesses {
 public:
  std::span<AccessesOfThread> threads() { return threads_; }
  /// The thread's number, from now on.
  std::size_t add(ThreadId thread, LineId line);

  /// Accesses before that.
  void forget(Mark oldest);
  /// In units of about an access.
  std::size_t cost() const;

 private:
  std::vector<AccessesOfThread> threads_;
  boost::unordered_flat_map<ThreadId, std::size_t> numbers_;  ///< empty while there are few
};

}  // namespace ravel
