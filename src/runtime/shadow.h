// The shadow: two words for every eight bytes of the program's memory, which say whether one thread alone has
// touched them so far, and if so, its last read and its last write.
//
// A word of a cell:
//   0                                          no access of this kind
//   shared = 0, who, when, where, which bytes  the owner's last access of this kind; nobody else has come
//   shared = 1, the rest 0                     a second thread has come; whose last access it was is unknown
//   shared = 1, who, when, which bytes         the last access of this kind, and nobody else has come since
//   the same, and where                        it is hidden, that is, not in the stream: who comes next tells
// With older = 1, the older cell has what the same thread did to other bytes before; with whole = 1, in a
// shared word, this thread needs to be checked against nobody, whichever bytes it accesses. Once one word of
// a cell is shared, so is the other. A word that is not in the stream is only replaced by an atomic
// operation, so that an intruder learns the last access exactly.
#pragma once

#include <cstdint>

#include "event/inline_check.h"
#include "runtime/platform.h"

namespace ravel::rt {

// Linux gives programs three windows of addresses: from 0 (programs with fixed addresses), around 0x55.. and
// 0x56.. (others, with their heap) and around 0x7e.. and 0x7f.. (mappings, stacks). They stay apart in the
// low 44 bits, so the shadow needs no table.
inline constexpr std::uintptr_t kShadowBase = inline_check::kShadowBase;
inline constexpr std::uintptr_t kAddressMask = inline_check::kAddressMask;
inline constexpr std::uintptr_t kShadowBytes = 2 * (kAddressMask + 1);
// Behind the cells lie the older cells, one for each. A program that sweeps over its own numbers of four
// bytes touches one half of a cell while the other is still that of an earlier sweep.

struct Cell {
  std::uint64_t words[2];  ///< by Kind
};
static_assert(sizeof(Cell) == inline_check::kCellBytes);

inline constexpr unsigned kReadWord = 0;
inline constexpr unsigned kWriteWord = 1;
static_assert(kReadWord * sizeof(Cell::words[0]) == inline_check::kReadWordAt);
static_assert(kWriteWord * sizeof(Cell::words[0]) == inline_check::kWriteWordAt);

RAVEL_INLINE Cell* cell_of(std::uintptr_t address) {
  return reinterpret_cast<Cell*>(kShadowBase + ((address & kAddressMask & ~std::uintptr_t{7}) << 1));
}

/// Where the cell keeps older accesses to other bytes than those that its words are about.
RAVEL_INLINE Cell* older_cell(const Cell* cell) {
  return reinterpret_cast<Cell*>(reinterpret_cast<std::uintptr_t>(cell) + kShadowBytes);
}

// A word: shared 1 bit, incarnation 11 (who), epoch 20 (when), site 22 (where, site.h), older 1, near or
// whole 1, bytes 8 (which, a bit each). `near`, in a word that is not shared: the bytes were accessed at
// several places at that time, of which this is one.
inline constexpr std::uint64_t kShared = std::uint64_t{1} << 63;
inline constexpr unsigned kIncarnationAt = 52;
inline constexpr std::uint32_t kIncarnations = 1U << 11;  ///< 0 is nobody
inline constexpr unsigned kEpochAt = 32;
inline constexpr std::uint32_t kEpochs = 1U << 20;
inline constexpr unsigned kCellPlaceAt = 10;
inline constexpr std::uint32_t kCellPlaces = 1U << 22;
inline constexpr std::uint64_t kCellPlaceMask = std::uint64_t{kCellPlaces - 1} << kCellPlaceAt;
inline constexpr std::uint64_t kOlder = 1 << 9;
inline constexpr std::uint64_t kNear = 1 << 8;
inline constexpr std::uint64_t kWhole = kNear;  ///< the same bit of a shared word
inline constexpr std::uint64_t kBytesMask = 0xff;
/// Who and when.
inline constexpr std::uint64_t kTagMask = ~kShared & ~((std::uint64_t{1} << kEpochAt) - 1);
static_assert(kTagMask == inline_check::kTagMask && kBytesMask == inline_check::kBytesMask);

constexpr std::uint32_t incarnation_of(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> kIncarnationAt) & (kIncarnations - 1);
}
constexpr std::uint32_t epoch_of(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> kEpochAt) & (kEpochs - 1);
}
constexpr std::uint32_t place_of(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> kCellPlaceAt) & (kCellPlaces - 1);
}
constexpr std::uint64_t cell_place(std::uint32_t place) {
  return static_cast<std::uint64_t>(place < kCellPlaces ? place : 0) << kCellPlaceAt;
}

/// `count` bytes of a cell from `first` on, as the low bits of a word.
constexpr std::uint64_t bytes_code(unsigned first, unsigned count) {
  return (kBytesMask >> (8 - count)) << first & kBytesMask;
}
/// The bytes of `outer` include those of `inner`.
constexpr bool covers(std::uint64_t outer, std::uint64_t inner) { return (inner & ~outer & kBytesMask) == 0; }

// glibc's allocator keeps a block's size in the eight bytes before it, which no program touches. Their cell
// says where the block was allocated: this incarnation, which no thread has, and the place as a code address;
// and in the other word its size.
inline constexpr std::uint32_t kBlockMark = kIncarnations - 1;
inline constexpr std::uint64_t kBlockAnnounced = std::uint64_t{1} << 32;  ///< the stream knows of it
/// Blocks of this size or more are announced when they are allocated, so no mark is further away.
inline constexpr std::size_t kLargeBlock = std::size_t{64} * 1024;

/// Whether the word of this kind, or what is older, is about an access that is not in the stream.
RAVEL_INLINE bool is_hidden(const Cell& cell, unsigned kind, std::uint64_t word) {
  if ((word & kShared) == 0) return false;
  return (word & kCellPlaceMask) != 0 ||
         ((word & kOlder) != 0 &&
          (__atomic_load_n(&older_cell(&cell)->words[kind], __ATOMIC_RELAXED) & kCellPlaceMask) != 0);
}

/// Tells which cells lie in pages of the shadow that nobody has touched yet: they are empty, and reading them
/// would cost a page fault each.
class UntouchedCells {
 public:
  /// How many from this one on lie in the same page, if it is untouched; else 0.
  std::size_t count_from(const Cell* cell);

 private:
  static constexpr std::size_t kPages = 512;  ///< that are asked for at once

  std::uintptr_t begin_ = 0;  ///< of the pages known
  std::uintptr_t end_ = 0;
  unsigned char touched_[kPages];
};

/// Maps the shadow. False: the address space is taken or limited.
bool map_shadow();
/// Nobody has touched this memory.
void forget_cells(std::uintptr_t address, std::size_t bytes);
/// The same for all memory.
void forget_shadow();

}  // namespace ravel::rt
