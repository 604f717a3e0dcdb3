// SectionLog: the critical sections of one lock that a later one may have to be ordered after, with H of
// their releases.
//
// Sections of an exclusive lock are totally ordered by happens-before, so of all sections that a base edge
// leads from into a section h only the latest matters, and H of their releases grows from each to the next:
// only what rises is kept. What is ordered before h is ordered before every later section of the lock, too;
// so the log keeps one mark, `implied`, that only moves on, everything before it is forgotten, and each rise
// is joined once in an analysis.
//
// Shared sections of a reader-writer lock are ordered with exclusive ones only: each reader thread has a log
// of its own, that exclusive sections are ordered after.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "analysis/vector_clock.h"
#include "event/ids.h"
#include "trace/large_memory.h"

namespace ravel {

class SectionLog {
 public:
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};

  /// The next section ends: `released` is H of its release, `previous` that of the section before it.
  void append(Epoch acquired, const VectorClock& released, const VectorClock& previous);

  std::uint64_t end() const { return end_; }  ///< the number of sections so far, and of the next one
  std::uint64_t implied() const { return implied_; }
  /// P := P joined with H of the releases of all sections before number `end`. The mark moves there: for
  /// someone who holds the lock exclusively, and hands P on at its release.
  void raise(VectorClock& P, std::uint64_t end);
  /// The same for a reader: the mark stays.
  void raise_reader(VectorClock& P, std::uint64_t end) const;
  /// The number after the last section whose acquire P covers (at least the mark).
  std::uint64_t covered(const VectorClock& P) const;

  void checkpoint();
  void restore();
  /// Forgets what is implied. Not between checkpoint and restore.
  void trim();
  /// Halves what is kept by taking each two sections for one: then more is ordered than has to be.
  void thin();
  std::size_t kept() const { return sections_.size() + rises_.size(); }

 private:
  struct Section {
    Epoch acquired;           ///< local time after the acquire
    std::uint64_t end = 0;    ///< number of the section after it
    std::uint64_t rises = 0;  ///< end of its rises
  };
  struct Rise {
    ThreadId thread;
    Time time;
  };
  /// Joins what sections after the mark have, up to number `end`; the index after them.
  std::size_t join(VectorClock& P, std::uint64_t end) const;

  std::vector<Section> sections_;
  std::vector<Rise> rises_;
  std::uint64_t end_ = 0;
  std::uint64_t implied_ = 0;      ///< a section's number
  std::size_t implied_index_ = 0;  ///< its index in sections_
  struct {
    std::size_t sections = 0, rises = 0, implied_index = 0;
    std::uint64_t end = 0, implied = 0;
  } checkpoint_;
};

/// All sections of a lock. Checkpoints have numbers, from 1 on.
class LockSections {
 public:
  struct Reader {
    ThreadId thread;
    SectionLog log;
    VectorClock last;  ///< H of the thread's last shared release
    VectorClock saved_last;
    std::uint64_t saved_at = 0;  ///< checkpoint that saved_last is of
  };

  SectionLog exclusive;
  std::vector<Reader> readers;

  Reader& reader(ThreadId thread);
  void append_shared(ThreadId thread, Epoch acquired, const VectorClock& released);
  /// P := P joined with H of the releases of all shared sections whose acquires it covers.
  void raise_readers(VectorClock& P);

  /// True if it was not at this checkpoint before.
  bool checkpoint(std::uint64_t number) {
    if (checkpoint_ == number) return false;
    make_checkpoint(number);
    return true;
  }
  void restore();
  void trim();
  void thin();
  std::size_t kept() const;

 private:
  void make_checkpoint(std::uint64_t number);

  boost::unordered_flat_map<ThreadId, std::size_t> reader_of_;
  std::uint64_t checkpoint_ = 0;
};

/// The sections of all locks, in bounded memory.
class SectionLogs {
 public:
  /// References stay valid.
  LockSections& operator[](LockId lock) {
    while (lock.index() >= locks_.size()) locks_.emplace_back();
    return locks_[lock.index()];
  }

  /// Before and after a lock's sections change.
  void leave_out(const LockSections& lock) { kept_ -= lock.kept(); }
  void count(const LockSections& lock) { kept_ += lock.kept(); }
  /// Takes sections for one where there are too many. Not while some are left out.
  void bound() {
    if (kept_ > limit_) thin();
  }

 private:
  static constexpr std::size_t kLimit = std::size_t{1} << 24;
  void thin();

  LargeList<LockSections> locks_;
  std::size_t kept_ = 0;
  std::size_t limit_ = kLimit;
};

}  // namespace ravel
