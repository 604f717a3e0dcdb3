// Resolver: the head of the chain. Maps addresses to variables and locks, and follows which locks each thread
// holds.
//
// A variable is a set of bytes of one aligned word that have always been accessed together. An access of
// another width that overlaps it splits it (an event tells the analyses to copy their state), so accesses of
// different widths conflict exactly where their bytes overlap. An access that touches several variables
// becomes one event per variable, all with its position. Freed or re-allocated memory, and memory of an ended
// object, means new variables and locks: the old variables are retired, after a write each if the memory was
// freed, because freeing conflicts with any access.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/blocks.h"
#include "analysis/lockset_table.h"
#include "analysis/variables.h"
#include "event/event.h"
#include "trace/large_memory.h"
#include "trace/tables.h"

namespace ravel {

/// How many events from `first` on are about one event of the trace: an access to several variables comes in
/// parts, all in one batch, with the splits it causes.
inline std::size_t count_parts(std::span<const Event> batch, std::size_t first) {
  std::size_t end = first + 1;
  while (end < batch.size() && batch[end].position == batch[first].position) ++end;
  return end - first;
}

class Resolver {
 public:
  /// The resolved form of the first events of `batch`, valid until the next call; `batch` is then the rest.
  /// It takes as many as it can without much memory: an access to a large block becomes one event per word.
  std::span<const Event> resolve(std::span<Event>& batch);

  const Variables& variables() const { return variables_; }
  const Blocks& blocks() const { return blocks_; }
  LocksetTable& locksets() { return locksets_; }
  const LocksetTable& locksets() const { return locksets_; }
  std::string lock_name(LockId lock, const Tables& tables) const;
  std::uint64_t lock_address(LockId lock) const { return locks_[lock.index()].address; }

 private:
  /// The variable that owns some bytes of a word; `bytes` == 0: `id` is an index into words_ instead.
  struct Cell {
    VariableId id;
    std::uint8_t bytes = 0;
  };
  static constexpr std::uint64_t kWordBytes = 8;
  /// A word that holds several variables, in one cache line: they end at the first cell without bytes.
  struct alignas(64) SharedWord {
    std::array<Cell, kWordBytes> cells{};

    std::size_t count() const {
      std::size_t count = 0;
      while (count < cells.size() && cells[count].bytes != 0) ++count;
      return count;
    }
  };
  static_assert(sizeof(SharedWord) == 64);
  static constexpr std::uint64_t kPageWords = 512;
  using Page = std::array<Cell, kPageWords>;
  struct RecentPage {
    std::uint64_t number = ~std::uint64_t{0};  ///< no page has this one
    Page* page = nullptr;
  };
  struct LockRow {
    std::uint64_t address = 0;
    TargetSpace space = TargetSpace::Lock;
  };

  Page& page(std::uint64_t number) {
    const RecentPage& recent = recent_[number % kPageCache];
    return recent.number == number ? *recent.page : find_page(number);
  }
  Page& find_page(std::uint64_t number);
  /// Starts loading what is known of the word of an access that will be resolved soon: first its cell, then
  /// its variables, if it has several.
  [[gnu::always_inline]] void prefetch(const Event& event) const {
    if (const Cell* const cell = recent_cell(event); cell != nullptr) __builtin_prefetch(cell);
  }
  [[gnu::always_inline]] void prefetch_shared(const Event& event) const {
    if (!is_access(event.kind)) return;
    const Cell* const cell = recent_cell(event);
    if (cell != nullptr && cell->bytes == 0 && cell->id.valid())
      __builtin_prefetch(&words_[cell->id.index()]);
  }
  const Cell* recent_cell(const Event& event) const {
    const std::uint64_t word = event.target / kWordBytes;
    const RecentPage& recent = recent_[word / kPageWords % kPageCache];
    return recent.number == word / kPageWords ? &(*recent.page)[word % kPageWords] : nullptr;
  }
  void access(const Event& event);
  void word_access(const Event& event, LocksetId held, std::uint64_t word, std::uint8_t bytes);
  /// Calls `use` with each variable that makes up `bytes` of the word, splitting and (if asked) creating as
  /// needed.
  template <typename Use>
  void cover(const Event& event, LocksetId held, std::uint64_t word, Cell& cell, std::uint8_t bytes,
             bool create, const Use& use);
  VariableId new_variable(std::uint64_t word, std::uint8_t bytes);
  /// A part of an event about a block of memory, whose variables end; true: the last part.
  bool range(const Event& event);
  void end_memory(const Event& event);
  LockId lock(const Event& event, TargetSpace space);
  void resolve_in_place(Event& event);
  /// The locks a thread holds. They are the same as long as its local time is: an access that is reported
  /// late is asked about by that.
  struct Holder {
    LocksetId held = LocksetTable::kEmpty;
    std::uint64_t time = 1;  ///< local time (kTimeSteps)
    struct Change {
      std::uint64_t time;  ///< the first with these locks
      LocksetId held;
    };
    std::vector<Change> changes;  ///< the last ones, a ring
    std::uint64_t changed = 0;    ///< how often

    void change(LocksetId locks);
    /// Invalid: it is too long ago.
    LocksetId held_at(std::uint64_t then) const;
  };
  Holder& holder(ThreadId thread) {
    if (thread.index() >= holders_.size()) holders_.resize(thread.index() + 1);
    return holders_[thread.index()];
  }
  LocksetId held(const Event& event) {
    const Holder& self = holder(event.thread);
    return kRetroAccesses.has(event.kind) ? self.held_at(event.value) : self.held;
  }

  Variables variables_;
  Blocks blocks_;
  LocksetTable locksets_;
  std::vector<Holder> holders_;  ///< by thread

  boost::unordered_flat_map<std::uint64_t, Page*> pages_;
  std::vector<std::vector<Page, LargeAllocator<Page>>> page_chunks_;  ///< own the pages; never reallocated
  static constexpr std::size_t kPageCache = 1024;
  std::array<RecentPage, kPageCache> recent_{};  ///< direct-mapped by page number
  std::vector<SharedWord, LargeAllocator<SharedWord>> words_;
  std::vector<VariableId> free_;     ///< ids that may be given again
  std::vector<VariableId> retired_;  ///< in this batch: analyses still report about them

  boost::unordered_flat_map<std::uint64_t, LockId> lock_ids_;
  std::vector<LockRow> locks_;

  std::uint32_t ended_ = 0;  ///< bytes of the block at hand that are done
  std::vector<Event> out_;   ///< the resolved batch, once it differs in length
};

}  // namespace ravel
