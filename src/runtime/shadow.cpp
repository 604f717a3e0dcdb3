#include "runtime/shadow.h"

#include <sys/mman.h>
#include <sys/syscall.h>

namespace ravel::rt {
namespace {

// Of so many bytes and more, pages that nobody has touched are left alone.
constexpr std::size_t kManyBytes = std::size_t{64} * 1024;
// From so many on, all pages are given back. Of fewer that would cost more than to clear them: each has to be
// made again, and every processor must hear that it is gone.
constexpr std::size_t kHugeBytes = std::size_t{8} * 1024 * 1024;

void clear(std::uintptr_t from, std::uintptr_t to) {
  for (auto* word = reinterpret_cast<std::uint64_t*>(from); word < reinterpret_cast<std::uint64_t*>(to);
       ++word)
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

/// The same for whole pages. What looks untouched may have been swapped out, so it is given back.
void clear_pages(std::uintptr_t from, std::uintptr_t to) {
  UntouchedCells untouched;
  std::uintptr_t bare = from;  // from here to the page at hand, nobody has touched any
  for (std::uintptr_t page = from; page < to; page += kPageBytes) {
    if (untouched.count_from(reinterpret_cast<const Cell*>(page)) > 0) continue;
    forget_memory(bare, page - bare);
    clear(page, page + kPageBytes);
    bare = page + kPageBytes;
  }
  forget_memory(bare, to - bare);
}

}  // namespace

bool map_shadow() {
  if (!reserve_memory_at(kShadowBase, kShadowBytes)) return false;
  // A core file of the program need not hold it.
  system_call(SYS_madvise, static_cast<long>(kShadowBase), static_cast<long>(kShadowBytes), MADV_DONTDUMP);
  return true;
}

void forget_cells(std::uintptr_t address, std::size_t bytes) {
  if (bytes == 0) return;
  const auto from = reinterpret_cast<std::uintptr_t>(cell_of(address));
  const auto to = reinterpret_cast<std::uintptr_t>(cell_of(address + bytes - 1)) + sizeof(Cell);
  if (to - from < kManyBytes) return clear(from, to);
  const std::uintptr_t first_page = (from + kPageBytes - 1) & ~(kPageBytes - 1);
  const std::uintptr_t end_page = to & ~(kPageBytes - 1);
  clear(from, first_page);
  if (to - from < kHugeBytes) {
    clear_pages(first_page, end_page);
  } else {
    forget_memory(first_page, end_page - first_page);
  }
  clear(end_page, to);
}

std::size_t UntouchedCells::count_from(const Cell* cell) {
  const auto at = reinterpret_cast<std::uintptr_t>(cell);
  if (at < begin_ || at >= end_) {
    begin_ = at & ~(kPageBytes - 1);
    end_ = begin_ + kPages * kPageBytes;
    const long known = system_call(SYS_mincore, static_cast<long>(begin_), static_cast<long>(end_ - begin_),
                                   reinterpret_cast<long>(touched_));
    if (is_error(known)) {
      end_ = begin_;
      return 0;
    }
  }
  if ((touched_[(at - begin_) / kPageBytes] & 1) != 0) return 0;
  return (kPageBytes - at % kPageBytes) / sizeof(Cell);
}

void forget_shadow() { forget_memory(kShadowBase, kShadowBytes); }

}  // namespace ravel::rt
