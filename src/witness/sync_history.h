// SyncHistory and SyncClosure: the sync-preserving closure (Mathur, Pavlogiannis, Viswanathan 2021) of any
// events of a trace, without looking at the trace again.
//
// A set of events is closed if it has, with every event, what its thread did before, the fork of its thread,
// for a join all that the joined thread did, for a read the write it saw, and, of two sections of one lock
// that exclude each other and whose acquires it has, the release of the earlier one. Running a closed set in
// the order of the trace is a correct reordering (reordering.h), and every correct reordering that keeps the
// order of the sections it contains runs a closed set. So the closure of what some events need decides
// whether they can be next all at once.
//
// What an event needs beyond its thread's past is kept as a short list per thread, not as a clock per event:
// a closure walks those lists, each entry once, and a section costs a constant. A closure that grows with its
// thread therefore costs no more than the lists in all. For others there are checkpoints: closures of a
// thread's past, so far apart that they take no more memory than the lists. Taking one over costs as much as
// walking between two of them, so any closure takes a time that does not grow with the trace, as long as few
// threads are far behind what it needs. With many threads all are, a little each. There it helps that a
// thread that reads what another one has just written comes to need what that one needed: the closures of a
// thread's whole past, and two of what that was not long ago, are taken over at once if this is less work
// than to walk what they have more.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "event/ids.h"

namespace ravel {

/// Something whose events are in order: a thread, or the passages of one barrier.
using LineId = Id<struct LineTag>;

/// How far a line has come. The event at position p is at mark 2p; having come to 2p - 1 is to be about to do
/// it, with all that this takes. 0: nothing has happened.
using Mark = std::uint32_t;

struct Reached {
  LineId line;
  Mark mark = 0;
};

constexpr Mark mark_of(std::uint64_t position) { return static_cast<Mark>(2 * position); }
constexpr Mark before(Mark event) { return event - 1; }
constexpr std::uint64_t position_of(Mark event) { return event / 2; }
/// Events behind this one have no marks.
inline constexpr std::uint64_t kLastPosition = (std::uint64_t{1} << 31) - 1;

/// Why a line needs another one to have come somewhere.
enum class Need : std::uint8_t {
  Order,    ///< whatever the program does: forks, joins, barriers, waits
  Reading,  ///< to read what it read
  Memory    ///< to find its memory allocated, or free, where it was
};

class SyncClosure;

class SyncHistory {
 public:
  /// The lock's section of that number, from 0.
  struct SectionId {
    std::uint32_t lock = 0;
    std::uint32_t number = 0;
  };

  LineId add_line();
  std::size_t lines() const { return lines_.size(); }
  std::size_t locks() const { return locks_.size(); }

  /// To come to `at`, `line` needs `what`. Marks of a line must not fall.
  void need(LineId line, Mark at, Reached what, Need why);
  /// A section of the lock begins; its acquire is at `at`.
  void begin_section(LineId line, Mark at, std::uint32_t lock, bool shared);
  /// The line's open section of the lock ends there.
  void end_section(LineId line, std::uint32_t lock, Reached end);
  /// The same for all open sections of a lock that is gone.
  void end_sections(std::uint32_t lock, Reached end);

  /// The closure of all that the line has done so far. It must stay where it is.
  void set_past(LineId line, const SyncClosure& past) { lines_[line.index()].past = &past; }

  /// How many needs and sections a line has so far: while it is the same, so is all that it needs.
  std::size_t size(LineId line) const { return lines_[line.index()].items.size(); }
  /// Where the line acquired the lock that it holds at `at`; 0: nowhere.
  Mark section_begin(LineId line, Mark at, std::uint32_t lock) const;

 private:
  friend class SyncClosure;

  enum class Kind : std::uint8_t { Order, Reading, Memory, Section };
  struct Item {
    Mark at;
    std::uint32_t subject : 30;  ///< the line, or the lock
    std::uint32_t kind : 2;
    std::uint32_t detail;  ///< a mark, or a section's number
  };
  struct Section {
    LineId line;
    Mark begin;
    Reached end;  ///< mark 0: it is open
    bool shared;
  };
  /// Latest reader section of each line that is in a closure and behind its newest exclusive one.
  using Readers = boost::unordered_flat_map<std::uint32_t, std::vector<std::uint32_t>>;
  struct State {
    std::vector<Mark> in;               ///< by line: how far it is in
    std::vector<std::uint32_t> next;    ///< by line: its first item that is not
    std::vector<std::uint32_t> newest;  ///< by lock: its newest exclusive section that is in, + 1
    Readers readers;                    ///< by lock
    std::uint64_t items = 0;            ///< that are in
  };
  struct Line {
    std::vector<Item> items;
    std::vector<State> checkpoints;
    std::size_t checked = 0;  ///< items.size() at the last checkpoint
    const SyncClosure* past = nullptr;
    std::array<State, 2> recent;  ///< of `past` not long ago, the newer one first
  };

  std::vector<Line> lines_;
  std::vector<std::vector<Section>> locks_;  ///< by lock, in the order of their acquires
};

/// A closed set of events, growing. The history may grow too. Owned by one thread.
class SyncClosure {
 public:
  enum class Rules : std::uint8_t {
    All,
    Order  ///< only what no run of the program can change: not what was read, nor where memory was, nor
           ///< sections
  };

  explicit SyncClosure(SyncHistory& history, Rules rules = Rules::All) : history_(&history), rules_(rules) {}

  Mark in(LineId line) const { return line.index() < state_.in.size() ? state_.in[line.index()] : 0; }
  bool has(Reached what) const { return in(what.line) >= what.mark; }
  /// The line's section of the lock around `at`, if it ends there and this has a later exclusive one: with
  /// its beginning, this would have its end. None may also mean that it takes too long to tell.
  std::optional<SyncHistory::SectionId> section_before_newest(LineId line, Mark at, std::uint32_t lock) const;
  /// Whether it has a later one than that.
  bool has_later_section(SyncHistory::SectionId section) const {
    return newest(section.lock) > section.number + 1;
  }
  void include(Reached what) {
    if (has(what)) return;
    raise(what);
    settle();
  }

  /// From here on changes can be undone.
  void begin_trial() {
    on_trial_ = true;
    items_before_ = state_.items;
  }
  void undo_trial();

  /// This is what `line` needs to be where it is in: remember it, if it is time to.
  void checkpoint(LineId line);
  /// Entries of lists that were walked.
  std::uint64_t steps() const { return steps_; }

 private:
  enum class Part : std::uint8_t { In, Next, Newest };
  struct Change {
    Part part;
    std::uint32_t index;
    std::uint32_t old;
  };
  struct ReadersChange {
    std::uint32_t lock;
    std::vector<std::uint32_t> old;
  };
  using Section = SyncHistory::Section;

  std::vector<std::uint32_t>& part(Part which);
  void set(Part which, std::size_t index, std::uint32_t value);
  std::uint32_t newest(std::uint32_t lock) const {
    return lock < state_.newest.size() ? state_.newest[lock] : 0;
  }
  void raise(Reached what);
  void settle();
  void walk(LineId line);
  bool jump(LineId line);
  std::size_t state_size() const { return history_->lines() + history_->locks(); }
  const SyncHistory::State* past_of(LineId line) const;
  void merge(const SyncHistory::State& other, LineId except);
  void enter(std::uint32_t lock, std::uint32_t number);
  void end(std::uint32_t lock, std::uint32_t number) { raise(history_->locks_[lock][number].end); }
  std::vector<std::uint32_t>& change_readers(std::uint32_t lock);
  void keep_readers_behind(std::uint32_t lock);

  SyncHistory* history_;
  Rules rules_;
  SyncHistory::State state_;
  std::vector<LineId> raised_;  ///< lines whose items must be walked
  bool on_trial_ = false;
  std::vector<Change> changes_;
  std::vector<ReadersChange> readers_changes_;
  std::uint64_t steps_ = 0;
  std::uint64_t items_before_ = 0;  ///< the trial
};

}  // namespace ravel
