// Accesses: which of them are recorded (the filters of a trace's header).
//
// owner    Accesses that may be unordered with another thread's, and those (cell.h); and atomic ones that
//          synchronize (hooks_atomic.cpp). What is ordered for certain is only remembered in cells. Accesses
//          side by side become one record.
// segment  All accesses but those that repeat what the same thread did at the same local time, with nobody in
//          between.
// none     All accesses.
#pragma once

#include <cstdint>

#include "runtime/cell.h"
#include "runtime/recorder.h"
#include "runtime/shadow.h"
#include "runtime/thread.h"

namespace ravel::rt {

/// Any number of bytes anywhere.
RAVEL_NOINLINE void access_range(Thread& self, std::uintptr_t address, std::size_t bytes, unsigned kind,
                                 Pc pc);

/// This thread, at this local time, and these bytes of a cell: remembered or recorded already, and nobody has
/// come since.
RAVEL_INLINE bool is_repeated(const Thread& self, std::uintptr_t address, unsigned bytes, unsigned kind) {
  const std::uint64_t word = __atomic_load_n(&Cell(address).word(kind), __ATOMIC_RELAXED);
  // A tag has no bits of bytes: those of the word stay what they are.
  const std::uint64_t code = bytes_code(0, bytes) << (address & 7);
  return ((word ^ self.hot_tag) & (kTagMask | code)) == code;
}

/// The same for up to eight bytes that may lie in two cells.
RAVEL_INLINE bool are_repeated(const Thread& self, std::uintptr_t address, std::size_t bytes, unsigned kind) {
  const std::uint64_t code = ((std::uint64_t{1} << bytes) - 1) << (address & 7);
  const auto is_seen = [&](std::uintptr_t cell, std::uint64_t part) {
    const std::uint64_t word = __atomic_load_n(&Cell(cell).word(kind), __ATOMIC_RELAXED);
    return ((word ^ self.hot_tag) & (kTagMask | part)) == part;
  };
  return is_seen(address, code & kBytesMask) && (code >> 8 == 0 || is_seen(address + 8, code >> 8));
}

/// The hook of an access in one cell, which it could not decide about at a glance (hooks_missed.cpp).
template <unsigned kKind>
RAVEL_NOINLINE void access_missed(Thread& self, std::uintptr_t address, unsigned bytes, Pc pc);
extern template void access_missed<kReadWord>(Thread&, std::uintptr_t, unsigned, Pc);
extern template void access_missed<kWriteWord>(Thread&, std::uintptr_t, unsigned, Pc);

/// Nor in few steps.
template <unsigned kKind>
RAVEL_NOINLINE void access_anew(Thread& self, std::uintptr_t address, unsigned bytes, Pc pc);
extern template void access_anew<kReadWord>(Thread&, std::uintptr_t, unsigned, Pc);
extern template void access_anew<kWriteWord>(Thread&, std::uintptr_t, unsigned, Pc);
/// The part of those few steps for words that the thread may be a reader of. False: they did not suffice.
RAVEL_NOINLINE bool read_shared_anew(Thread& self, std::uintptr_t address, std::uint64_t bytes, Pc pc);

/// The hook of an access of any number of bytes, at least one. Compilers also make it for a few bytes that
/// need not be aligned: most of those repeat something, or are nothing new for one of their cells.
template <unsigned kKind>
RAVEL_NOINLINE void access_bytes(Thread& self, std::uintptr_t address, std::size_t bytes, Pc pc);

/// The hook of an access of up to eight bytes.
template <unsigned kBytes, unsigned kKind>
RAVEL_INLINE void access(const void* memory, Pc pc) {
  Thread* const self = hot_thread;
  if (self == nullptr) return;
  ++self->ordinal;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (kBytes > 1 && (address & 7) + kBytes > 8) [[unlikely]] {
    if (!are_repeated(*self, address, kBytes, kKind)) access_bytes<kKind>(*self, address, kBytes, pc);
    return;
  }
  if (is_repeated(*self, address, kBytes, kKind)) return;
  access_missed<kKind>(*self, address, kBytes, pc);
}

/// An atomic access, before it is done: as enter_cell_atomically(), for all its bytes.
Outcome enter_atomic_range(Thread& self, std::uintptr_t address, std::size_t bytes, unsigned kind, Pc pc,
                           bool recorded);

/// The program got this memory from an allocator.
void memory_begins(Thread& self, std::uintptr_t address, std::size_t bytes, Pc pc);
/// The same for a block of the heap, whose place is kept for reports.
void block_begins(Thread& self, std::uintptr_t address, std::size_t bytes, Pc pc);
/// The program is about to give this memory back, which counts as a write to it.
void memory_ends(Thread& self, std::uintptr_t address, std::size_t bytes, Pc pc);

}  // namespace ravel::rt
