#include "runtime/cell.h"

#include "runtime/locked_cell.h"
#include "runtime/recorder.h"
#include "runtime/token.h"

namespace ravel::rt {
namespace {

/// The access may be unordered with others: it has to be recorded.
template <unsigned kKind>
RAVEL_NOINLINE Outcome enter_clashing(Thread& self, LockedCell& cell, std::uint64_t bytes) {
  if (!cell.tell_clashes(bytes, kKind)) {
    cell.leave_alone();
    return Outcome::Dropped;
  }
  if (kKind == kReadWord) cell.hide_write(bytes);
  const bool was_atomic = kKind == kWriteWord && cell.has_atomics(bytes);
  cell.enter<kKind>(self.incarnation != 0 ? self.tag | bytes : bytes);
  cell.leave();
  if (was_atomic) {
    const auto first = static_cast<unsigned>(__builtin_ctzll(bytes));
    forget_atomics(cell.address() + first, static_cast<unsigned>(__builtin_popcountll(bytes)));
  }
  return Outcome::Record;
}

/// Calls a function with the region of an address while the thread is at work there.
template <typename Do>
RAVEL_INLINE auto work_at(Thread& self, std::uintptr_t address, Do act) {
  Bias& bias = bias_of(address);
  while (true) {
    {
      const Working working(self);
      const Region region = region_of(self, bias);
      if (region != Region::Undecided) return act(region);
    }
    settle_region(self, bias);
  }
}

/// Whether the thread's table has room for a word that it is no reader of: its entry has no reads; or old
/// ones, of memory that is new since, whose cell does not name the thread.
bool has_room_for(Thread& self, std::uintptr_t cell_address) {
  if (self.reader_bit == 0) return false;
  const SharedRead& entry = shared_read(self, cell_address);
  return __atomic_load_n(&entry.reads.last, __ATOMIC_ACQUIRE) == 0 || entry.cell == cell_address ||
         !is_sharer(self, __atomic_load_n(&Cell(entry.cell).read(), __ATOMIC_RELAXED));
}

/// Makes room: the thread is no longer a reader of the word that the entry is for.
RAVEL_NOINLINE void give_shared_read(Thread& self, const SharedRead& entry) {
  work_at(self, entry.cell, [&](Region region) {
    LockedCell locked(self, Cell(entry.cell), entry.cell, region, LockedCell::Shared::Keep);
    if (!locked.is_shared_by_thread()) return locked.leave_alone();
    locked.give_up_sharing();
    locked.leave();
  });
}

/// An access to a word that is shared, and may stay so.
RAVEL_NOINLINE void access_shared_at_length(Thread& self, LockedCell& locked, std::uint64_t access) {
  const std::uintptr_t address = locked.address();
  const bool has_room = locked.is_shared_by_thread() || has_room_for(self, address);
  if (locked.is_shared_by_readers())
    locked.read_shared(access, has_room);
  else
    locked.access_shared_atomically(access, has_room);
  locked.leave();
  if (!has_room) give_shared_read(self, shared_read(self, address));
}

}  // namespace

void give_shared_reads(Thread& self) {
  if (recorder.recording)
    each_shared_read(self, [&](const SharedRead& entry) {
      if (is_sharer(self, __atomic_load_n(&Cell(entry.cell).read(), __ATOMIC_ACQUIRE)))
        give_shared_read(self, entry);
    });
  end_shared_reads(self);
}

template <unsigned kKind>
Outcome enter_at_length(Thread& self, const Cell& cell, std::uintptr_t cell_address, std::uint64_t bytes,
                        std::uint32_t place, Region region) {
  using Shared = LockedCell::Shared;
  LockedCell locked(self, cell, cell_address, region, kKind == kReadWord ? Shared::Keep : Shared::End);
  if (locked.marks_block()) [[unlikely]] {
    locked.leave_alone();
    return Outcome::Record;
  }
  const std::uint64_t where = self.incarnation != 0 ? cell_place(site_of(self, place)) : 0;
  const std::uint64_t access = self.tag | where | bytes;
  if (kKind == kReadWord && locked.is_shared()) {
    if (locked.is_shared_by_readers() && where != 0 && self.reader_bit != 0 &&
        !locked.clashes<kReadWord>(bytes)) {
      access_shared_at_length(self, locked, access);
      return Outcome::Dropped;
    }
    locked.end_sharing();
  }
  // What has no place cannot be remembered.
  if (locked.clashes<kKind>(bytes) || where == 0 ||
      (kKind == kWriteWord && locked.is_atomic() && locked.has_atomics(bytes))) [[unlikely]]
    return enter_clashing<kKind>(self, locked, bytes);
  if (switch_at == SwitchAt::Shared) [[unlikely]]
    locked.note_others();
  const bool shared =
      kKind == kReadWord && locked.is_read_in_turns() && is_often_used_in_turns(self, cell_address);
  locked.enter<kKind>(access);
  const bool has_room = !shared || has_room_for(self, cell_address);
  if (shared && has_room) locked.share();
  locked.leave();
  if (!has_room) give_shared_read(self, shared_read(self, cell_address));
  return Outcome::Dropped;
}

template Outcome enter_at_length<kReadWord>(Thread&, const Cell&, std::uintptr_t, std::uint64_t,
                                            std::uint32_t, Region);
template Outcome enter_at_length<kWriteWord>(Thread&, const Cell&, std::uintptr_t, std::uint64_t,
                                             std::uint32_t, Region);

namespace {

/// This thread, at this local time, has done an atomic access of this kind, or that clashes with more.
bool repeats_atomic(const Thread& self, const Cell& cell, std::uint64_t bytes, unsigned kind) {
  const auto is_same = [&](std::uint64_t slot) {
    return same_time(slot, self.tag | kAtomic) && covers(slot, bytes);
  };
  const std::uint64_t read = __atomic_load_n(&cell.read(), __ATOMIC_ACQUIRE);
  if (is_same(__atomic_load_n(&cell.write(), __ATOMIC_RELAXED)) || (kind == kReadWord && is_same(read)))
    return true;
  if ((read & kFurther) == 0) return false;
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t slot = __atomic_load_n(&cell.further()[i], __ATOMIC_RELAXED);
    if (is_same(slot) && (kind == kReadWord || (slot & kOfWrite) != 0)) return true;
  }
  return false;
}

/// Whether a slot says nothing that an atomic access of these bytes does not say as well: it is empty, or of
/// an atomic access of the same bytes that is ordered before.
bool is_outdone_atomically(const Thread& self, std::uint64_t slot, std::uint64_t bytes) {
  if (!has_bytes(slot)) return true;
  return (slot & kAtomic) != 0 && incarnation_of(slot) != 0 && (slot & kBytesMask & ~bytes) == 0 &&
         is_certain(self, slot);
}

/// Whether the further slots say nothing that is not certain. They stay: what plain accesses they are of, an
/// atomic one does not take the place of.
bool is_further_passed(const Thread& self, const Cell& cell) {
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t slot = __atomic_load_n(&cell.further()[i], __ATOMIC_RELAXED);
    if ((slot & kAnnexed) != 0 || !is_passed(self, slot)) return false;
  }
  return true;
}

/// An atomic access to a word that the thread shares with others who use it atomically: it takes the place of
/// those of the same bytes that it has kept. False: it was not that, or somebody has just taken them.
bool share_again(Thread& self, std::uintptr_t cell_address, std::uint64_t bytes, unsigned kind,
                 std::uint32_t place) {
  SharedRead& entry = shared_read(self, cell_address);
  const ReadPair old = {__atomic_load_n(&entry.reads.last, __ATOMIC_RELAXED),
                        __atomic_load_n(&entry.reads.further, __ATOMIC_RELAXED)};
  const bool has_written = (old.last & kOfWrite) != 0;
  const auto is_outdone = [&](std::uint64_t slot) { return (slot & kBytesMask & ~bytes) == 0; };
  if (old.last == 0 || !is_outdone(old.last) || !is_outdone(old.further)) return false;
  if (same_time(old.last, self.tag | kAtomic) && covers(old.last, bytes) &&
      (kind == kReadWord || has_written))
    return true;
  const std::uint64_t site = cell_place(site_of(self, place));
  if (site == 0) return false;
  const std::uint64_t access = self.tag | kAtomic | site | bytes;
  if (kind == kWriteWord) return exchange_reads(entry.reads, old, {access | kOfWrite, 0});
  return exchange_reads(entry.reads, old, {access, has_written ? old.last : old.further});
}

/// The last at the cell was another thread's atomic access that the stream does not know of.
bool is_used_by_others(const Thread& self, const Cell& cell) {
  const auto is_of_another = [&](std::uint64_t slot) {
    return is_atomic_slot(slot) && incarnation_of(slot) != 0 && incarnation_of(slot) != self.incarnation;
  };
  return is_of_another(__atomic_load_n(&cell.read(), __ATOMIC_RELAXED)) ||
         is_of_another(__atomic_load_n(&cell.write(), __ATOMIC_RELAXED));
}

/// The short way of an atomic access that is not recorded: all before it is ordered before it, and of the
/// last accesses there are only atomic ones. False: it was not that.
bool enter_shortly_atomically(const Thread& self, const Cell& cell, std::uint64_t access, unsigned kind,
                              Region region) {
  const std::uint64_t bytes = access & kBytesMask;
  const std::uint64_t read = __atomic_load_n(&cell.read(), __ATOMIC_RELAXED);
  const std::uint64_t write = __atomic_load_n(&cell.write(), __ATOMIC_RELAXED);
  if ((read & kLocked) != 0 || incarnation_of(read) == kBlockMark || is_shared_word(read) ||
      !is_outdone_atomically(self, read & kSlotMask, bytes) ||
      !is_outdone_atomically(self, write & kSlotMask, bytes))
    return false;
  std::uint64_t expected = read;
  if (region != Region::Own && !__atomic_compare_exchange_n(&cell.read(), &expected, read | kLocked, false,
                                                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return false;
  if ((region != Region::Own && __atomic_load_n(&cell.write(), __ATOMIC_RELAXED) != write) ||
      ((read & kFurther) != 0 && !is_further_passed(self, cell))) {
    if (region != Region::Own) __atomic_store_n(&cell.read(), read, __ATOMIC_RELEASE);
    return false;
  }
  if (kind == kWriteWord) __atomic_store_n(&cell.write(), access | (write & kInStream), __ATOMIC_RELAXED);
  __atomic_store_n(&cell.read(), (kind == kReadWord ? access : 0) | (read & kFurther), __ATOMIC_RELEASE);
  return true;
}

}  // namespace

Outcome enter_cell_atomically(Thread& self, std::uintptr_t cell_address, std::uint64_t bytes, unsigned kind,
                              std::uint32_t place, bool recorded) {
  const Cell cell(cell_address);
  const std::uint64_t read = __atomic_load_n(&cell.read(), __ATOMIC_ACQUIRE);
  if (recorded) {
    // All that the cell has to say is that there were others that were recorded; or nobody needs more.
    const std::uint64_t write = __atomic_load_n(&cell.write(), __ATOMIC_ACQUIRE);
    const bool alone = !has_bytes(read) && (read & (kFurther | kLocked)) == 0;
    if ((alone || (recorder.told_atomic && !is_shared_word(read))) && same_time(write, kAtomic) &&
        covers(write, bytes))
      return Outcome::Record;
  } else if (is_word_of_atomics(read)) {
    if (is_sharer(self, read) && share_again(self, cell_address, bytes, kind, place)) return Outcome::Dropped;
  } else if (repeats_atomic(self, cell, bytes, kind)) {
    return Outcome::Dropped;
  }
  const std::uint64_t site = recorded ? 0 : cell_place(site_of(self, place));
  const std::uint64_t access = self.tag | kAtomic | site | bytes;
  const bool may_share = site != 0 && self.reader_bit != 0 && recorder.told_atomic;
  const bool shares =
      may_share && is_used_by_others(self, cell) && is_often_used_in_turns(self, cell_address);
  return work_at(self, cell_address, [&](Region region) {
    if (site != 0 && !shares && enter_shortly_atomically(self, cell, access, kind, region))
      return Outcome::Dropped;
    LockedCell locked(self, cell, cell_address, region, LockedCell::Shared::Keep);
    if (locked.is_shared()) {
      if (may_share && locked.is_shared_by_atomics() && locked.passes_plain_accesses()) {
        access_shared_at_length(self, locked, access | (kind == kWriteWord ? kOfWrite : 0));
        return Outcome::Dropped;
      }
      locked.end_sharing();
    }
    bool known = recorded;
    if (locked.marks_block() || !locked.tell_clashes_with_atomic(bytes, kind, known)) {
      locked.leave_alone();
      return Outcome::Record;
    }
    const std::uint64_t where = known ? 0 : site;
    known |= where == 0;
    if (!known) {
      locked.enter_atomically(self.tag | kAtomic | where | bytes, kind);
      if (shares && locked.passes_plain_accesses() && has_room_for(self, cell_address))
        locked.share_atomically(kind);
    } else if (!locked.hand_over(bytes)) {
      locked.leave_alone();
      return Outcome::Record;
    }
    locked.leave();
    return known ? Outcome::Record : Outcome::Dropped;
  });
}

bool leave_cell(Thread& self, const Cell& cell, std::uintptr_t cell_address) {
  const std::uint64_t read = __atomic_load_n(&cell.read(), __ATOMIC_RELAXED);
  const std::uint64_t write = __atomic_load_n(&cell.write(), __ATOMIC_RELAXED);
  const auto is_own = [&](std::uint64_t slot) {
    return !has_bytes(slot) || (incarnation_of(slot) == self.incarnation && self.incarnation != 0);
  };
  if (is_own(read) && is_own(write) && (read & kFurther) == 0) return (write & kInStream) != 0;
  return work_at(self, cell_address, [&](Region region) {
    LockedCell locked(self, cell, cell_address, region);
    bool known = false;
    if (!locked.marks_block()) {
      if (locked.clashes<kWriteWord>(kBytesMask)) locked.tell_clashes_with_end();
      known = locked.is_in_stream();
    }
    locked.leave_alone();
    return known;
  });
}

bool is_contended(const Thread& self, const Cell& cell) {
  const std::uint64_t read = __atomic_load_n(&cell.read(), __ATOMIC_RELAXED);
  const std::uint64_t write = __atomic_load_n(&cell.write(), __ATOMIC_RELAXED);
  if (incarnation_of(read) == kBlockMark) return false;
  if ((write & kInStream) != 0) return true;
  const auto of_another = [&](std::uint64_t slot) {
    return has_bytes(slot) && incarnations[incarnation_of(slot)].thread != self.index;
  };
  return of_another(read) || of_another(write);
}

}  // namespace ravel::rt
