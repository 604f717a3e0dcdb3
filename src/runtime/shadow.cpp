#include "runtime/shadow.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <initializer_list>

namespace ravel::rt {
namespace {

// Of so many bytes and more, pages that nobody has touched are left alone.
constexpr std::size_t kManyBytes = std::size_t{32} * 1024;
// From so many on, all pages are given back. Of fewer that would cost more than to clear them: each has to be
// made again, and every processor must hear that it is gone.
constexpr std::size_t kHugeBytes = std::size_t{4} * 1024 * 1024;

constexpr std::uintptr_t kShadowBegin = 0x1000'0000'0000;
constexpr std::uintptr_t kShadowEnd = kFurtherShadow + 2 * (kAddressMask + 1);
static_assert(kShadowBegin <= inline_check::kReadShadow &&
              inline_check::kReadShadow + kAddressMask < inline_check::kWriteShadow &&
              inline_check::kWriteShadow + kAddressMask < kFurtherShadow);

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
    if (untouched.in_page(page)) continue;
    forget_memory(bare, page - bare);
    clear(page, page + kPageBytes);
    bare = page + kPageBytes;
  }
  forget_memory(bare, to - bare);
}

/// Clears the slots of one kind.
void forget_slots(std::uintptr_t from, std::uintptr_t to) {
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

/// Those that lie in the range whole.
void use_large_pages(std::uintptr_t from, std::uintptr_t to) {
  constexpr std::uintptr_t kLargePage = std::uintptr_t{2} * 1024 * 1024;
  const std::uintptr_t first = (from + kLargePage - 1) & ~(kLargePage - 1);
  const std::uintptr_t end = to & ~(kLargePage - 1);
  if (first < end)
    system_call(SYS_madvise, static_cast<long>(first), static_cast<long>(end - first), MADV_HUGEPAGE);
}

/// What nobody needs any more, as whole pages.
void give_back(std::uintptr_t from, std::uintptr_t to) {
  const std::uintptr_t first_page = (from + kPageBytes - 1) & ~(kPageBytes - 1);
  const std::uintptr_t end_page = to & ~(kPageBytes - 1);
  if (first_page < end_page) forget_memory(first_page, end_page - first_page);
}

}  // namespace

bool map_shadow() {
  constexpr std::uintptr_t kBytes = kShadowEnd - kShadowBegin;
  if (!reserve_memory_at(kShadowBegin, kBytes)) return false;
  // A core file of the program need not hold it.
  system_call(SYS_madvise, static_cast<long>(kShadowBegin), static_cast<long>(kBytes), MADV_DONTDUMP);
  return true;
}

void forget_cells(std::uintptr_t address, std::size_t bytes) {
  if (bytes == 0) return;
  const Cell first(address);
  const Cell last(address + bytes - 1);
  for (const unsigned kind : {kReadWord, kWriteWord})
    forget_slots(reinterpret_cast<std::uintptr_t>(&first.word(kind)),
                 reinterpret_cast<std::uintptr_t>(&last.word(kind) + 1));
  if (bytes >= kHugeBytes)
    give_back(reinterpret_cast<std::uintptr_t>(first.further()),
              reinterpret_cast<std::uintptr_t>(last.further() + 2));
}

void make_pages(std::uintptr_t address, std::size_t bytes) {
  const Cell first(address);
  for (const unsigned kind : {kReadWord, kWriteWord}) {
    const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(&first.word(kind)) & ~(kPageBytes - 1);
    system_call(SYS_madvise, static_cast<long>(from), static_cast<long>(bytes), MADV_POPULATE_WRITE);
  }
}

void expect_use(std::uintptr_t address, std::size_t bytes) {
  if (bytes < kHugeBytes) return;
  const Cell first(address);
  const Cell last(address + bytes - 1);
  use_large_pages(reinterpret_cast<std::uintptr_t>(&first.read()),
                  reinterpret_cast<std::uintptr_t>(&last.read() + 1));
  use_large_pages(reinterpret_cast<std::uintptr_t>(&first.write()),
                  reinterpret_cast<std::uintptr_t>(&last.write() + 1));
  use_large_pages(reinterpret_cast<std::uintptr_t>(first.further()),
                  reinterpret_cast<std::uintptr_t>(last.further() + 2));
}

bool UntouchedCells::in_page(std::uintptr_t at) {
  if (at < begin_ || at >= end_) {
    begin_ = at & ~(kPageBytes - 1);
    end_ = begin_ + kPages * kPageBytes;
    const long known = system_call(SYS_mincore, static_cast<long>(begin_), static_cast<long>(end_ - begin_),
                                   reinterpret_cast<long>(touched_));
    if (is_error(known)) {
      end_ = begin_;
      return false;
    }
  }
  return (touched_[(at - begin_) / kPageBytes] & 1) == 0;
}

std::size_t UntouchedCells::count_from(const Cell& cell) {
  const auto at = reinterpret_cast<std::uintptr_t>(&cell.read());
  return in_page(at) ? (kPageBytes - at % kPageBytes) / sizeof(std::uint64_t) : 0;
}

void forget_shadow() { forget_memory(kShadowBegin, kShadowEnd - kShadowBegin); }

}  // namespace ravel::rt
