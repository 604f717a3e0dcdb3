// What becomes of a cell when its memory is accessed, at the filter level `owner` (access.h).
//
// An access is checked against those of other threads that are in the cell. If one that it clashes with may
// be unordered with it (order.h), that one is told, that is, recorded as a retroactive access, and the access
// itself is recorded; else nobody learns of it but the cell. Then it takes the place of what whoever is
// ordered after it is ordered after, too. (tests/support/filters.h is the same on traces.)
#pragma once

#include <cstdint>

#include "runtime/bias.h"
#include "runtime/shadow.h"
#include "runtime/site.h"
#include "runtime/thread.h"

namespace ravel::rt {

enum class Outcome : std::uint8_t { Dropped, Record };

/// An atomic access to some bytes of a cell (a bit each), of this kind, in code at `place`; a
/// read-modify-write counts as a write. `recorded`: it will be in any case. Record: the caller records it.
Outcome enter_cell_atomically(Thread& self, std::uintptr_t cell_address, std::uint64_t bytes, unsigned kind,
                              std::uint32_t place, bool recorded);
/// The thread gives the memory back: that counts as a write. True if the stream has to know of it.
bool leave_cell(Thread& self, const Cell& cell, std::uintptr_t cell_address);

RAVEL_INLINE bool has_bytes(std::uint64_t slot) { return (slot & kBytesMask) != 0; }
RAVEL_INLINE bool is_atomic_slot(std::uint64_t slot) { return (slot & kAtomic) != 0; }
RAVEL_INLINE bool is_told(std::uint64_t slot) { return (slot & kCellPlaceMask) == 0; }
RAVEL_INLINE bool same_time(std::uint64_t a, std::uint64_t b) { return ((a ^ b) & kTagMask) == 0; }

/// The slot without some of its bytes.
RAVEL_INLINE std::uint64_t without(std::uint64_t slot, std::uint64_t bytes) {
  const std::uint64_t rest = slot & ~bytes;
  return has_bytes(rest) ? rest : 0;
}

/// What becomes of the read slot when the thread writes: what it reads then, at the same time, needs no slot
/// of its own, but the hooks shall see at a glance that it repeats something.
RAVEL_INLINE std::uint64_t read_after_write(std::uint64_t read, std::uint64_t write) {
  const std::uint64_t bytes = write & kBytesMask;
  if (same_time(read, write) && incarnation_of(read) != 0) return is_told(read) ? read | bytes : read;
  const std::uint64_t rest = without(read, bytes);
  return rest == 0 && incarnation_of(write) != 0 ? (write & kTagMask) | bytes : rest;
}

/// Replaces the first two slots of a cell if they are what they were.
template <unsigned kKind>
RAVEL_INLINE bool replace(const Cell& cell, Region region, std::uint64_t read, std::uint64_t write,
                          std::uint64_t next_read, std::uint64_t next_write) {
  if (region != Region::Own) {
    if (!__atomic_compare_exchange_n(&cell.read(), &read, read | kLocked, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
      return false;
    if (__atomic_load_n(&cell.write(), __ATOMIC_RELAXED) != write) {
      __atomic_store_n(&cell.read(), read, __ATOMIC_RELEASE);
      return false;
    }
  }
  if (kKind == kWriteWord) __atomic_store_n(&cell.write(), next_write, __ATOMIC_RELAXED);
  __atomic_store_n(&cell.read(), next_read, __ATOMIC_RELEASE);
  return true;
}

/// The short way: the thread is ordered after all that others have done in the cell, and nothing has to be
/// kept of what its last access of this kind was about. False: it was not that.
template <unsigned kKind>
RAVEL_INLINE bool enter_shortly(Thread& self, const Cell& cell, std::uint64_t bytes, std::uint32_t place,
                                Region region) {
  const std::uint64_t read = __atomic_load_n(&cell.read(), __ATOMIC_RELAXED);
  const std::uint64_t write = __atomic_load_n(&cell.write(), __ATOMIC_RELAXED);
  const std::uint64_t old = kKind == kWriteWord ? write : read;
  const auto is_own = [&](std::uint64_t slot) { return incarnation_of(slot) == self.incarnation; };
  if (self.incarnation == 0 || (read & kLocked) != 0 || is_atomic_slot(read | write)) return false;
  if (!is_own(old) || (old & kOrdered) == 0) {
    if ((read & kFurther) != 0 || (has_bytes(read) && !is_own(read)) || (has_bytes(write) && !is_own(write)))
      return false;
  }
  std::uint64_t next = 0;
  if (same_time(old, self.tag) && !is_told(old)) {
    // The last bits of a place are those of the code address: most others differ in them.
    const bool elsewhere = place_of(old) % stream::kGroupSites != place % stream::kGroupSites;
    next = old | bytes | (elsewhere ? kNear : 0);
  } else {
    if ((old & kBytesMask & ~bytes) != 0) return false;
    const std::uint64_t where = cell_place(site_of(self, place));
    if (where == 0) return false;
    next = self.tag | where | bytes | (old & ~kSlotMask);
  }
  next |= kOrdered;
  if constexpr (kKind == kWriteWord)
    return replace<kKind>(cell, region, read, write,
                          read_after_write(read & kSlotMask, next & kSlotMask) | (read & ~kSlotMask), next);
  else
    return replace<kKind>(cell, region, read, write, next, write);
}

/// All other ways.
template <unsigned kKind>
Outcome enter_at_length(Thread& self, const Cell& cell, std::uintptr_t cell_address, std::uint64_t bytes,
                        std::uint32_t place, Region region);

template <unsigned kKind>
RAVEL_INLINE Outcome enter_region(Thread& self, std::uintptr_t cell_address, std::uint64_t bytes,
                                  std::uint32_t place, Region region) {
  const Cell cell(cell_address);
  if (enter_shortly<kKind>(self, cell, bytes, place, region)) return Outcome::Dropped;
  return enter_at_length<kKind>(self, cell, cell_address, bytes, place, region);
}

/// The hook has looked at one slot: what else will be needed of the cell is fetched while there is other
/// work.
RAVEL_INLINE void fetch_cell(const Cell& cell, unsigned kind) {
  if (kind == kWriteWord) return __builtin_prefetch(&cell.read(), 1);
  __builtin_prefetch(&cell.write());
  if ((__atomic_load_n(&cell.read(), __ATOMIC_RELAXED) & kFurther) != 0)
    __builtin_prefetch(cell.further(), 1);
}

/// A plain access to some bytes of a cell (a bit each), in code at `place`. Record: the caller records it.
RAVEL_INLINE Outcome enter_cell(Thread& self, std::uintptr_t cell_address, std::uint64_t bytes, unsigned kind,
                                std::uint32_t place) {
  Bias& bias = bias_of(cell_address);
  while (true) {
    {
      const Working working(self);
      const Region region = region_of(self, bias);
      if (region == Region::Shared) count_use(self, bias);
      if (region != Region::Undecided)
        return kind == kReadWord ? enter_region<kReadWord>(self, cell_address, bytes, place, region)
                                 : enter_region<kWriteWord>(self, cell_address, bytes, place, region);
    }
    settle_region(self, bias);
  }
}

/// Whether another thread has touched the cell since it was new.
bool is_contended(const Thread& self, const Cell& cell);

}  // namespace ravel::rt
