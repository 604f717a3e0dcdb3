// Annexes: more further slots, for the few cells that need them, as words of which a thread uses many parts
// at different times do. Without one, what does not fit has to be told, again and again.
//
// They lie in a table, each where its cell's address says, and belong to one cell at a time: the cell's first
// further slot has the mark kAnnexed. Who has the cell locked, or alone uses its region, takes its annex for
// as long. One whose cell has lost the mark, as by being new memory, is there for others.
#pragma once

#include <cstdint>

#include "runtime/platform.h"
#include "runtime/shadow.h"

namespace ravel::rt {

/// Of a cell's first further slot, if it has further slots.
inline constexpr std::uint64_t kAnnexed = 1 << 9;

struct alignas(64) Annex {
  static constexpr unsigned kSlots = 7;

  std::uintptr_t cell;  ///< the address of its word; and the lowest bit, which says that it is taken
  std::uint64_t slots[kSlots];
};

/// The annex of a cell that has the mark, taken.
Annex& take_annex(std::uintptr_t cell_address);
/// One for a cell that has none, taken and empty; null: another cell needs it.
Annex* try_annex(std::uintptr_t cell_address);
/// It is free for who comes next. The mark is what it shall be.
inline void leave_annex(Annex& annex, std::uintptr_t cell_address) {
  __atomic_store_n(&annex.cell, cell_address, __ATOMIC_RELEASE);
}

bool map_annexes();
/// In a new stream.
void forget_annexes();

}  // namespace ravel::rt
