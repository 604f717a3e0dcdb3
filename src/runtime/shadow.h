// The shadow: for every eight bytes of the program's memory, the last accesses that a later one might have to
// be checked against.
//
// A cell has a slot for the last read and one for the last write, and two more of either kind behind, if they
// are needed: other threads' reads, or accesses to other bytes of the eight. A slot says who, when, where,
// and which bytes:
//   no bytes                       none
//   who, when, where, which bytes  an access that is not in the stream (yet)
//   the same without where         one that is
//   which bytes alone              something that the stream knows, and the cell does not: never ordered.
//                                  If it is atomic: atomic accesses, and all plain ones to these bytes that
//                                  are in other slots are in the stream, too
//
// The slots of the last reads lie side by side, so do those of the last writes, and the further ones: most
// hooks look at one slot alone.
//
// A cell is changed by who has locked it, or alone uses the memory around it (bias.h). Hooks look at one
// without that: what they see there of their own thread and its present time is true.
#pragma once

#include <cstdint>

#include "event/inline_check.h"
#include "runtime/platform.h"

namespace ravel::rt {

// Linux gives programs three windows of addresses: from 0 (programs with fixed addresses), around 0x55.. and
// 0x56.. (others, with their heap) and around 0x7e.. and 0x7f.. (mappings, stacks). They stay apart in the
// low 44 bits, so the shadow needs no table.
inline constexpr std::uintptr_t kAddressMask = inline_check::kAddressMask;
inline constexpr std::uintptr_t kFurtherShadow = inline_check::kFurtherShadow;

inline constexpr unsigned kReadWord = 0;
inline constexpr unsigned kWriteWord = 1;

/// The slots for eight bytes of memory.
class Cell {
 public:
  explicit constexpr Cell(std::uintptr_t address) : at_(address & kAddressMask & ~std::uintptr_t{7}) {}

  std::uint64_t& word(unsigned kind) const {
    return *reinterpret_cast<std::uint64_t*>(
        (kind == kReadWord ? inline_check::kReadShadow : inline_check::kWriteShadow) + at_);
  }
  std::uint64_t& read() const { return word(kReadWord); }
  std::uint64_t& write() const { return word(kWriteWord); }
  /// Two of either kind. Without kFurther they mean nothing.
  std::uint64_t* further() const { return reinterpret_cast<std::uint64_t*>(kFurtherShadow + 2 * at_); }

 private:
  std::uintptr_t at_;
};

// A slot: incarnation 11 bits (who), epoch 19 (when), atomic 1, one free, site 21 (where, site.h), one free,
// near 1, bytes 8 (which, a bit each); the highest bit is free, too. `near`: the bytes were accessed at
// several places at that time, of which this is one.

/// A free bit of the read and of the write slot: its thread is ordered after all that others have done here,
/// for certain.
inline constexpr std::uint64_t kOrdered = std::uint64_t{1} << 31;
// Of the read slot:
inline constexpr std::uint64_t kLocked = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kFurther = 1 << 9;  ///< there are further slots
// Of the write slot:
inline constexpr std::uint64_t kInStream = std::uint64_t{1} << 63;  ///< the stream knows of the cell's memory
// Of a further slot:
inline constexpr std::uint64_t kOfWrite = std::uint64_t{1} << 63;
/// Of the words of the level `segment`.
inline constexpr std::uint64_t kSegment = std::uint64_t{1} << 63;
inline constexpr unsigned kIncarnationAt = 52;
inline constexpr std::uint32_t kIncarnations = 1U << 11;  ///< 0 is nobody
inline constexpr unsigned kEpochAt = 33;
inline constexpr std::uint32_t kEpochs = 1U << 19;
/// The access was atomic. It counts as another time: a plain one is not the same.
inline constexpr std::uint64_t kAtomic = std::uint64_t{1} << 32;
inline constexpr unsigned kCellPlaceAt = 10;
inline constexpr std::uint32_t kCellPlaces = 1U << 21;
inline constexpr std::uint64_t kCellPlaceMask = std::uint64_t{kCellPlaces - 1} << kCellPlaceAt;
inline constexpr std::uint64_t kNear = 1 << 8;
inline constexpr std::uint64_t kBytesMask = 0xff;
/// Who and when, and whether it was atomic.
inline constexpr std::uint64_t kTagMask = (std::uint64_t{1} << 63) - kAtomic;
inline constexpr std::uint64_t kSlotMask = kTagMask | kCellPlaceMask | kNear | kBytesMask;
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
/// This one no thread has either, nor a cell: the tag of threads whose hooks do not decide at a glance.
/// (Those in between say that a word is shared, shared_reads.h.)
inline constexpr std::uint32_t kNoIncarnation = kIncarnations - 4;
inline constexpr std::uint64_t kBlockAnnounced = std::uint64_t{1} << 32;  ///< the stream knows of it
/// Blocks of this size or more are announced when they are allocated, so no mark is further away.
inline constexpr std::size_t kLargeBlock = std::size_t{64} * 1024;

/// Tells which pages of the shadow nobody has touched yet: they are empty, and reading them would cost a page
/// fault each. Whoever changes a cell touches its read slot, too.
class UntouchedCells {
 public:
  /// The page of this address of the shadow.
  bool in_page(std::uintptr_t at);
  /// How many cells from this one on have their read slots in the same page, if it is untouched; else 0.
  std::size_t count_from(const Cell& cell);

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
/// The program begins to use this memory, most likely all of it: makes the pages of its read and write slots
/// at once. Each would cost two page faults else, as hooks look at a slot before it is written.
void make_pages(std::uintptr_t address, std::size_t bytes);
/// A block of memory was allocated that the program will use in many places: if it is large, so are the pages
/// of its shadow.
void expect_use(std::uintptr_t address, std::size_t bytes);

}  // namespace ravel::rt
