// ConflictTable: which sections of a lock accessed a variable last. Rule (a) of causally-precedes (Sadowski
// 2012, Definition 5) and of WCP (Kini et al. 2017): sections that contain clashing accesses are ordered.
//
// Of an exclusive lock the latest section that clashes is enough, because sections are ordered; so the table
// keeps the last section that read and that wrote the variable for the two most recent distinct threads.
// Shared sections are kept for each thread. Two atomic accesses do not race, but clash here: exchanging their
// sections would change what they read.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "event/event.h"
#include "trace/large_memory.h"

namespace ravel {

/// A section of a lock: its number among the exclusive ones, or among the thread's shared ones.
struct SectionName {
  ThreadId thread;
  LockId lock;
  std::uint32_t number = 0;
  bool shared = false;
};

class ConflictTable {
 public:
  /// Is told of the sections that clash with an access.
  class Observer {
   public:
    virtual ~Observer() = default;
    /// The latest exclusive section with a clash has number `end` - 1.
    virtual void exclusive(std::uint32_t end) = 0;
    /// The latest shared one of this thread.
    virtual void shared(ThreadId thread, std::uint32_t end) = 0;
  };

  /// An access within `section`; tells of the sections before it that clash, once for each kind of access.
  void access(const SectionName& section, VariableId variable, bool write, Observer& observer) {
    Entry& here = entry(variable, section.lock);
    const Last& mine = here.last[static_cast<std::size_t>(write)][0];
    if (!section.shared && mine.thread == section.thread && mine.end == section.number + 1) return;
    first_access(here, section, write, observer);
  }
  /// One that was reported late.
  void remember(const SectionName& section, VariableId variable, bool write);

  /// Starts loading what is known of a variable that will be accessed soon: first where it is, then itself.
  [[gnu::always_inline]] void prefetch_index(VariableId variable) const {
    if (variable.index() < first_.size()) __builtin_prefetch(&first_[variable.index()]);
  }
  [[gnu::always_inline]] void prefetch(VariableId variable) const {
    if (variable.index() < first_.size() && first_[variable.index()] != kNone)
      __builtin_prefetch(&entries_[first_[variable.index()]]);
  }

  /// The resolver's lifetime events.
  void split(VariableId whole, VariableId part);
  void retire(VariableId variable);

 private:
  struct Last {
    ThreadId thread;
    std::uint32_t end = 0;  ///< number after that of the section; 0: none
  };
  struct Shared {
    ThreadId thread;
    std::uint32_t end[2] = {};  ///< by whether it wrote
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct alignas(64) Entry {
    LockId lock;
    std::uint32_t next = kNone;  ///< entry of the same variable
    std::array<std::array<Last, 2>, 2>
        last{};                    ///< by whether they wrote: the last and that of another thread
    std::uint32_t shared = kNone;  ///< index in shared_
  };

  /// A variable's first entry is found at once, the others by hashing; most variables have one lock.
  Entry& entry(VariableId variable, LockId lock) {
    if (variable.index() < first_.size()) [[likely]] {
      const std::uint32_t first = first_[variable.index()];
      if (first != kNone && entries_[first].lock == lock) [[likely]]
        return entries_[first];
    }
    return other_entry(variable, lock);
  }
  Entry& other_entry(VariableId variable, LockId lock);
  /// The first of its kind in this section; of a shared section it may be another one.
  void first_access(Entry& here, const SectionName& section, bool write, Observer& observer);
  static void note(std::array<Last, 2>& last, ThreadId thread, std::uint32_t end);
  static std::uint32_t other(const std::array<Last, 2>& last, ThreadId thread) {
    return last[0].thread != thread ? last[0].end : last[1].end;
  }
  Shared& shared_of(Entry& entry, ThreadId thread);
  static std::uint64_t key(VariableId variable, LockId lock) {
    return std::uint64_t{variable.value} << 32 | lock.value;
  }

  std::vector<std::uint32_t, LargeAllocator<std::uint32_t>> first_;  ///< by variable: an entry, or kNone
  std::vector<Entry, LargeAllocator<Entry>> entries_;
  std::vector<std::uint32_t> free_entries_;
  /// For variables with several locks.
  boost::unordered_flat_map<std::uint64_t, std::uint32_t, boost::hash<std::uint64_t>, std::equal_to<>,
                            LargeAllocator<std::pair<const std::uint64_t, std::uint32_t>>>
      entry_of_;
  std::vector<std::vector<Shared>> shared_;
  std::vector<std::uint32_t> free_shared_;
};

}  // namespace ravel
