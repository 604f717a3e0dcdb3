// What becomes of a cell when its memory is accessed, at the filter level `owner` (access.h).
//
// An access is checked against those of other threads that are in the cell. If one that it clashes with may
// be unordered with it (order.h), that one is told, that is, recorded as a retroactive access, and the access
// itself is recorded; else nobody learns of it but the cell. Then it takes the place of what whoever is
// ordered after it is ordered after, too. (tests/support/filters.h is the same on traces.)
#pragma once

#include <cstdint>

#include "runtime/annex.h"
#include "runtime/bias.h"
#include "runtime/shadow.h"
#include "runtime/shared_reads.h"
#include "runtime/site.h"
#include "runtime/thread.h"

namespace ravel::rt {

enum class Outcome : std::uint8_t { Dropped, Record };

/// An atomic access to some bytes of a cell (a bit each), of this kind, in code at `place`; a
/// read-modify-write counts as a write. `recorded`: it will be in any case. Record: the caller records it.
Outcome enter_cell_atomically(Thread& self, std::uintptr_t cell_address, std::uint64_t bytes, unsigned kind,
                              std::uint32_t place, bool recorded);
/// The thread ends: its reads of shared words go to their cells.
void give_shared_reads(Thread& self);
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

/// The slot is the thread's own, and says that all that others have done in the cell is ordered before it.
/// (False where hooks do not decide at a glance.)
RAVEL_INLINE bool is_last(const Thread& self, std::uint64_t slot) {
  constexpr std::uint64_t kMask = std::uint64_t{kIncarnations - 1} << kIncarnationAt | kOrdered;
  return ((slot ^ (self.hot_tag | kOrdered)) & kMask) == 0;
}

/// The same for a write slot, beside a read word: who reads the word later leaves the write slot as it is.
RAVEL_INLINE bool is_last_write(const Thread& self, std::uint64_t write, std::uint64_t read) {
  return is_last(self, write) && (!has_bytes(read) || incarnation_of(read) == self.incarnation);
}

/// A read slot whose thread has found that it is ordered after all writes to the slot's bytes, or has told of
/// what is not. Whoever writes them later takes them from the slot: so there is none that is younger.
RAVEL_INLINE bool knows_writes(std::uint64_t read) {
  return incarnation_of(read) != 0 && incarnation_of(read) < kNoIncarnation && !is_atomic_slot(read) &&
         !is_told(read);
}

/// The thread has read these bytes, and so knows the writes to them. (False where is_last() is.)
RAVEL_INLINE bool has_read(const Thread& self, std::uint64_t read, std::uint64_t bytes) {
  constexpr std::uint64_t kMask = std::uint64_t{kIncarnations - 1} << kIncarnationAt | kAtomic;
  return ((read ^ self.hot_tag) & kMask) == 0 && !is_told(read) && covers(read, bytes);
}

/// Nobody is there that the thread may be unordered with.
RAVEL_INLINE bool is_passed(const Thread& self, std::uint64_t slot) {
  return !has_bytes(slot) || is_certain(self, slot);
}

/// Another thread's slot is not the last word about the cell any more.
RAVEL_INLINE std::uint64_t passed(const Thread& self, std::uint64_t slot) {
  return incarnation_of(slot) != self.incarnation ? slot & ~kOrdered : slot;
}

/// Where an access is: by its code address, or by the return address of a hook in the program's own code.
struct AtSite {
  Thread& self;
  std::uint32_t address;

  RAVEL_INLINE std::uint32_t code() const { return address; }
  RAVEL_INLINE std::uint64_t place() const { return cell_place(site_of(self, address)); }
};
struct AtHook {
  Thread& self;
  Pc pc;

  RAVEL_INLINE std::uint32_t code() const { return main_code_of(pc); }
  RAVEL_INLINE std::uint64_t place() const { return cell_place(known_site(self, pc)); }
};

/// The same, if the thread has looked for it lately.
struct AtOnce {
  Thread& self;
  Pc pc;

  RAVEL_INLINE std::uint32_t code() const { return static_cast<std::uint32_t>(pc >> 2); }  // its last bits
  RAVEL_INLINE std::uint64_t place() const { return cell_place(site_at_once(self, pc)); }
};

/// Where one of many accesses at the same place is.
struct AtPlace {
  std::uint32_t address;
  std::uint64_t in_cell;

  RAVEL_INLINE std::uint32_t code() const { return address; }
  RAVEL_INLINE std::uint64_t place() const { return in_cell; }
};

/// Of a slot, if its thread accesses some of its bytes at the same time in code at `code`.
RAVEL_INLINE std::uint64_t near_mark(std::uint64_t slot, std::uint32_t code) {
  // The last bits of a place are those of the code address: most others differ in them.
  return place_of(slot) % stream::kGroupSites != code % stream::kGroupSites ? kNear : 0;
}

/// The slot of an access that takes the place of another one of the same kind. `where` says where it is;
/// 0: it cannot.
template <typename Where>
RAVEL_INLINE std::uint64_t next_slot(const Thread& self, std::uint64_t old, std::uint64_t bytes,
                                     Where where) {
  if (same_time(old, self.tag) && !is_told(old))
    return (old & kSlotMask) | bytes | near_mark(old, where.code());
  const std::uint64_t place = where.place();
  return place != 0 ? self.tag | place | bytes : 0;
}
/// What the new slot does not say of the old one.
RAVEL_INLINE std::uint64_t left_by(std::uint64_t next, std::uint64_t old) {
  return same_time(next, old) && !is_told(old) ? 0 : old & kBytesMask & ~next;
}

/// What becomes of the read slot when the thread writes: what it reads then, at the same time, needs no slot
/// of its own, but the hooks shall see at a glance that it repeats something.
RAVEL_INLINE std::uint64_t read_after_write(std::uint64_t read, std::uint64_t write) {
  const std::uint64_t bytes = write & kBytesMask;
  if (same_time(read, write) && incarnation_of(read) != 0) return is_told(read) ? read | bytes : read;
  const std::uint64_t rest = without(read, bytes);
  return rest == 0 && incarnation_of(write) != 0 ? (write & kTagMask) | bytes : rest;
}

/// The word of the read slot then, if the thread is the last at the cell. After a write of the whole word the
/// further slots have nothing more to say.
RAVEL_INLINE std::uint64_t read_word_after_write(const Thread& self, std::uint64_t word,
                                                 std::uint64_t write) {
  const std::uint64_t next = read_after_write(word & kSlotMask, write & kSlotMask);
  const std::uint64_t further = (write & kBytesMask) != kBytesMask ? word & kFurther : 0;
  return next | further | (incarnation_of(next) == self.incarnation ? kOrdered : 0);
}

/// The accesses that happened at the same time as one: two at several places are near each of them.
RAVEL_INLINE std::uint64_t merged(std::uint64_t slot, std::uint64_t other) {
  if (is_told(slot)) return other | (slot & kBytesMask);
  const bool elsewhere = !is_told(other) && ((slot ^ other) & kCellPlaceMask) != 0;
  return slot | (other & (kBytesMask | kNear)) | (elsewhere ? kNear : 0);
}
/// Two further slots can be one.
RAVEL_INLINE bool are_alike(std::uint64_t slot, std::uint64_t other) {
  return ((slot ^ other) & (kOfWrite | kTagMask)) == 0 && is_told(slot) == is_told(other);
}

/// The bytes about which a further slot says nothing more, beside the words of the cell: a thread that is
/// ordered after all the others has written them since, or read them. A read may be younger than the write.
RAVEL_INLINE std::uint64_t bytes_outdone(std::uint64_t slot, std::uint64_t read, std::uint64_t write) {
  const bool is_younger = (slot & kOfWrite) == 0 && incarnation_of(slot) == incarnation_of(write) &&
                          epoch_of(slot) > epoch_of(write);
  const std::uint64_t written = (write & kOrdered) != 0 && !is_younger ? write : 0;
  const std::uint64_t seen = (read & kOrdered) != 0 && (slot & kOfWrite) == 0 ? read : 0;
  return (written | seen) & kBytesMask;
}

/// Puts an access into the further slots, if there is room. `is_outdone`: whether a slot has nothing more to
/// say. `empty`: they say nothing.
template <typename Outdone>
RAVEL_INLINE bool put_further(const Cell& cell, bool empty, std::uint64_t access, Outdone is_outdone) {
  for (int i = 0; i < 2; ++i) {
    std::uint64_t& slot = cell.further()[i];
    const std::uint64_t old = empty ? 0 : __atomic_load_n(&slot, __ATOMIC_RELAXED);
    const bool outdone = is_outdone(old);
    if (!outdone && !are_alike(old, access)) continue;
    __atomic_store_n(&slot, (outdone ? access : merged(access, old)) | (old & kAnnexed), __ATOMIC_RELAXED);
    if (empty) __atomic_store_n(&cell.further()[1], 0, __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

/// Changes the words of a cell as the short way has decided: the read word is the caller's.
template <unsigned kKind>
RAVEL_INLINE bool put_slot(Thread& self, const Cell& cell, std::uint64_t read, std::uint64_t write,
                           std::uint64_t next, std::uint64_t left) {
  const std::uint64_t old = kKind == kReadWord ? read : write;
  const bool further = (read & kFurther) != 0;
  if (left != 0) [[unlikely]] {
    const std::uint64_t access =
        (old & kSlotMask & ~kBytesMask) | left | (kKind == kWriteWord ? kOfWrite : 0);
    const auto is_outdone = [&](std::uint64_t slot) {
      const std::uint64_t now =
          bytes_outdone(slot, kKind == kReadWord ? next : 0, kKind == kReadWord ? 0 : next);
      return !has_bytes(slot & ~(now | bytes_outdone(slot, read, write)));
    };
    if (!put_further(cell, !further, access, is_outdone)) return false;
  }
  const std::uint64_t next_read =
      kKind == kReadWord ? next | (further ? kFurther : 0) : read_word_after_write(self, read, next);
  const std::uint64_t more = left != 0 ? kFurther : 0;
  const std::uint64_t next_write = kKind == kWriteWord ? next | (write & kInStream) : passed(self, write);
  if (next_write != write) __atomic_store_n(&cell.write(), next_write, __ATOMIC_RELAXED);
  if ((next_read | more) != read) __atomic_store_n(&cell.read(), next_read | more, __ATOMIC_RELEASE);
  return true;
}

/// The read slot is locked by whoever changes the cell, if it is not in a region of their own.
RAVEL_INLINE bool lock_cell(const Cell& cell, std::uint64_t read) {
  std::uint64_t expected = read;
  return (read & kLocked) == 0 && __atomic_compare_exchange_n(&cell.read(), &expected, read | kLocked, false,
                                                              __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/// What becomes of the slot of this kind if the thread was the last at the cell, or has read the bytes.
/// False: it is that no more; or there is no place for the access, or the new slot does not say all that the
/// old one did.
template <unsigned kKind, typename Where>
RAVEL_INLINE bool renew_slot(Thread& self, const Cell& cell, std::uint64_t old, std::uint64_t bytes,
                             Region region, Where where) {
  constexpr std::uint64_t kStays = kOrdered | (kKind == kReadWord ? kFurther : kInStream);
  std::uint64_t next = old | bytes;
  if (same_time(old, self.hot_tag) && !is_told(old)) {
    next |= near_mark(old, where.code());
  } else {
    const std::uint64_t place = where.place();
    if (place == 0 || !covers(bytes, old)) return false;
    next = self.hot_tag | place | bytes | (old & kStays);
  }
  const bool own = region == Region::Own;
  if (kKind == kReadWord) {
    if (!own)
      return (old & kLocked) == 0 &&
             __atomic_compare_exchange_n(&cell.read(), &old, next, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    __atomic_store_n(&cell.read(), next, __ATOMIC_RELAXED);
    return true;
  }
  const std::uint64_t read = __atomic_load_n(&cell.read(), __ATOMIC_RELAXED);
  if (!is_last_write(self, old, read)) return false;
  if (!own) {
    if (!lock_cell(cell, read)) return false;
    if (__atomic_load_n(&cell.write(), __ATOMIC_RELAXED) != old) {
      __atomic_store_n(&cell.read(), read, __ATOMIC_RELEASE);
      return false;
    }
  }
  __atomic_store_n(&cell.write(), next, __ATOMIC_RELAXED);
  const std::uint64_t next_read = read_word_after_write(self, read, next);
  if (!own || next_read != read) __atomic_store_n(&cell.read(), next_read, __ATOMIC_RELEASE);
  return true;
}

/// The shortest way, in a region of the thread's own: it is the last at the cell, or the first. False: it was
/// not that.
template <unsigned kKind, typename Where>
RAVEL_INLINE bool renew_last(Thread& self, const Cell& cell, std::uint64_t bytes, Where where) {
  std::uint64_t old = __atomic_load_n(&cell.word(kKind), __ATOMIC_RELAXED);
  if (old == 0) {
    const std::uint64_t beside = __atomic_load_n(&cell.word(1 - kKind), __ATOMIC_RELAXED);
    if (beside != 0 && !is_last(self, beside)) return false;
    old = kOrdered;
    if (kKind == kReadWord && same_time(beside, self.tag) && covers(beside, bytes)) {
      // The write says more; but hooks shall see at a glance that this is repeated.
      __atomic_store_n(&cell.read(), self.tag | bytes | kOrdered, __ATOMIC_RELAXED);
      return true;
    }
  } else if (!is_last(self, old)) {
    return false;
  }
  return renew_slot<kKind>(self, cell, old, bytes, Region::Own, where);
}

/// A further slot says that the thread has accessed these bytes at this local time. To see that needs no
/// lock, as in hooks. (One that is told may stand for several times.)
RAVEL_INLINE bool is_kept_further(const Thread& self, const Cell& cell, std::uint64_t bytes) {
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t slot = __atomic_load_n(&cell.further()[i], __ATOMIC_RELAXED);
    if (same_time(slot, self.tag) && covers(slot, bytes) && !is_told(slot)) return true;
  }
  return false;
}

/// The thread's read that such a slot has of the word takes the place of another thread's last read: the
/// hooks shall see it at a glance. But others may read the word, too: not if somebody has the cell.
RAVEL_INLINE void bring_forward(const Thread& self, const Cell& cell, std::uint64_t read, Region region) {
  constexpr std::uint64_t kNot = kLocked | kOrdered | kAtomic;
  if ((read & kNot) != 0 || is_shared_word(read) || (region != Region::Own && !lock_cell(cell, read))) return;
  std::uint64_t next = read;
  for (int i = 0; i < 2 && next == read; ++i) {
    const std::uint64_t slot = __atomic_load_n(&cell.further()[i], __ATOMIC_RELAXED);
    if (!same_time(slot, self.tag) || (slot & kOfWrite) != 0 || is_told(slot)) continue;
    __atomic_store_n(&cell.further()[i], (read & kSlotMask) | (slot & kAnnexed), __ATOMIC_RELAXED);
    next = (slot & kSlotMask) | kFurther;
    // The other read may be younger than the write beside.
    const std::uint64_t write = __atomic_load_n(&cell.write(), __ATOMIC_RELAXED);
    if ((write & kOrdered) != 0) __atomic_store_n(&cell.write(), write & ~kOrdered, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&cell.read(), next, __ATOMIC_RELEASE);
}

/// Of the two further slots, none may be unordered with an access of this kind, if they are all there are.
/// (Where others may change them, the cell is locked.)
template <unsigned kKind>
RAVEL_INLINE bool is_further_passed(const Thread& self, const Cell& cell) {
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t slot = __atomic_load_n(&cell.further()[i], __ATOMIC_RELAXED);
    if ((slot & (kAtomic | kAnnexed)) != 0) return false;
    if ((kKind == kWriteWord || (slot & kOfWrite) != 0) && !is_passed(self, slot)) return false;
  }
  return true;
}

/// A short way for who was the last to read the word, beside other readers, and after the one write that
/// there is. The read and the write word are the caller's, and there are further slots. False: it was not
/// that.
template <typename Where>
RAVEL_INLINE bool read_again(Thread& self, const Cell& cell, std::uint64_t bytes, Region region,
                             std::uint64_t read, std::uint64_t write, Where where) {
  if (incarnation_of(read) != self.incarnation || (!covers(read, bytes) && !is_passed(self, write)))
    return false;
  const std::uint64_t next = next_slot(self, read, bytes, where);
  if (next == 0 || left_by(next, read) != 0) return false;
  std::uint64_t expected = read;
  if (region != Region::Own && !__atomic_compare_exchange_n(&cell.read(), &expected, read | kLocked, false,
                                                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return false;
  const bool can =
      is_further_passed<kReadWord>(self, cell) && __atomic_load_n(&cell.write(), __ATOMIC_RELAXED) == write;
  if (can || region != Region::Own)
    __atomic_store_n(&cell.read(), can ? next | kFurther : read, __ATOMIC_RELEASE);
  return can;
}

/// A short way for who reads the word in turns with others: its last read is in a further slot, and stays
/// there, so that nothing else of the cell travels between the processors. The read word is the caller's; the
/// write word need not be looked at if the last reader has read all bytes, and knows the writes. False: it
/// was not that.
template <typename Where>
RAVEL_INLINE bool read_further(Thread& self, const Cell& cell, std::uint64_t bytes, std::uint64_t read,
                               Where where) {
  if ((read & kOrdered) != 0) return false;  // it says that the further slots are outdone; so may the write
  const bool is_known = knows_writes(read) && covers(read, kBytesMask);
  const std::uint64_t write = is_known ? 0 : __atomic_load_n(&cell.write(), __ATOMIC_RELAXED);
  if ((write & (kOrdered | kAtomic)) != 0) return false;
  for (int i = 0; i < 2; ++i) {
    std::uint64_t& slot = cell.further()[i];
    std::uint64_t old = __atomic_load_n(&slot, __ATOMIC_RELAXED);
    // Who has read the bytes has been found to be ordered after the writes then.
    if (incarnation_of(old) != self.incarnation || (old & (kOfWrite | kAtomic | kAnnexed)) != 0 ||
        !covers(old, bytes))
      continue;
    const std::uint64_t next = next_slot(self, old, bytes, where);
    if (next == 0 || left_by(next, old) != 0 ||
        !__atomic_compare_exchange_n(&slot, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      return false;
    // Who locks the cell from now on sees the read. Who had it locked may have put the old one back.
    return __atomic_load_n(&cell.read(), __ATOMIC_SEQ_CST) == read &&
           __atomic_load_n(&slot, __ATOMIC_RELAXED) == next &&
           (is_known || __atomic_load_n(&cell.write(), __ATOMIC_RELAXED) == write);
  }
  return false;
}

/// A short way that looks at the read word alone: the thread was the last to read just these bytes; or it is
/// ordered after who was the last at the cell, and has read all of it. False: it was not that.
template <typename Where>
RAVEL_INLINE bool read_after_reader(Thread& self, const Cell& cell, std::uint64_t bytes, Region region,
                                    std::uint64_t read, Where where) {
  constexpr std::uint64_t kLastOfAll = kOrdered | kBytesMask;
  if ((read & kBytesMask) != bytes || (read & kLocked) != 0 || !knows_writes(read)) return false;
  std::uint64_t next = 0;
  if (incarnation_of(read) == self.incarnation)
    next = next_slot(self, read, bytes, where) | (read & kFurther);
  else if ((read & (kLastOfAll | kFurther)) == kLastOfAll && is_certain(self, read))
    next = next_slot(self, 0, bytes, where);
  if (!has_bytes(next)) return false;
  next |= read & kOrdered;
  if (region == Region::Own) {
    __atomic_store_n(&cell.read(), next, __ATOMIC_RELAXED);
    return true;
  }
  std::uint64_t expected = read;
  return __atomic_compare_exchange_n(&cell.read(), &expected, next, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

/// The short way: the thread is ordered after all that others have done in the cell. False: it was not that.
/// Further slots that it makes void stay: LockedCell knows them by the others' being ordered.
template <unsigned kKind, typename Where>
RAVEL_INLINE bool enter_shortly(Thread& self, const Cell& cell, std::uint64_t bytes, Region region,
                                Where where) {
  if (self.incarnation == 0) return false;
  const std::uint64_t read = __atomic_load_n(&cell.read(), __ATOMIC_RELAXED);
  if ((read & kLocked) != 0 || is_atomic_slot(read) || is_shared_word(read)) return false;
  if (kKind == kReadWord) {
    if (read_after_reader(self, cell, bytes, region, read, where)) return true;
    if ((read & kFurther) != 0 && incarnation_of(read) != self.incarnation) {
      if (is_kept_further(self, cell, bytes)) {
        if (++self.kept_reads % 4 == 0) bring_forward(self, cell, read, region);
        return true;
      }
      if (read_further(self, cell, bytes, read, where)) return true;
    }
  }
  const std::uint64_t write = __atomic_load_n(&cell.write(), __ATOMIC_RELAXED);
  const std::uint64_t old = kKind == kReadWord ? read : write;
  if (is_atomic_slot(write)) return false;
  bool passes_further = false;
  if (!is_last(self, read) && !is_last_write(self, write, read)) {
    passes_further = (read & kFurther) != 0;
    if (kKind == kReadWord && passes_further && read_again(self, cell, bytes, region, read, write, where))
      return true;
    if (!is_passed(self, read) || !is_passed(self, write)) return false;
  }
  const auto is_passed_by = [&] { return !passes_further || is_further_passed<kWriteWord>(self, cell); };
  std::uint64_t next = 0;
  if (kKind == kReadWord && same_time(write, self.tag) && covers(write, bytes) && !has_bytes(old)) {
    next = self.tag | bytes;  // the write says more; but hooks shall see at a glance that this is repeated
  } else {
    next = next_slot(self, old, bytes, where);
    if (next == 0) return false;
  }
  const std::uint64_t left = left_by(next, old);
  next |= kOrdered;
  if (region == Region::Own) return is_passed_by() && put_slot<kKind>(self, cell, read, write, next, left);
  // Others change the cell only with the read slot locked; and whoever did could not leave this one last.
  std::uint64_t expected = read;
  if (kKind == kReadWord && left == 0 && is_last(self, read))
    return __atomic_compare_exchange_n(&cell.read(), &expected, next | (read & kFurther), false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
  if (!__atomic_compare_exchange_n(&cell.read(), &expected, read | kLocked, false, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED))
    return false;
  if (__atomic_load_n(&cell.write(), __ATOMIC_RELAXED) == write && is_passed_by() &&
      put_slot<kKind>(self, cell, read | kLocked, write, next, left))
    return true;
  __atomic_store_n(&cell.read(), read, __ATOMIC_RELEASE);
  return false;
}

/// A read of a word that the thread is a reader of (shared_reads.h). False: it was not that, or the thread's
/// table has no room for it beside the others. Of the cell it needs nothing but that it is told in time.
template <typename Where>
RAVEL_INLINE bool read_shared(Thread& self, std::uintptr_t address, std::uint64_t bytes, Where where) {
  const Cell cell(address);
  const std::uint64_t word = __atomic_load_n(&cell.read(), __ATOMIC_ACQUIRE);
  if (!is_word_of_readers(word) || (word & self.reader_bit) == 0) return false;
  ReadPair& mine = shared_read(self, address).reads;
  const std::uint64_t old = __atomic_load_n(&mine.last, __ATOMIC_RELAXED);
  if (old == 0) return false;  // somebody has just taken them
  // Who has read the bytes has been found to be ordered after the write then.
  if (!covers(old, bytes) && !is_passed(self, __atomic_load_n(&cell.write(), __ATOMIC_RELAXED))) return false;
  const std::uint64_t next = next_slot(self, old, bytes, where);
  if (next == old) return true;
  if (next == 0) return false;
  const std::uint64_t left = left_by(next, old);
  if (left == 0) {
    std::uint64_t expected = old;
    return __atomic_compare_exchange_n(&mine.last, &expected, next, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
  }
  const std::uint64_t further = __atomic_load_n(&mine.further, __ATOMIC_RELAXED);
  const std::uint64_t rest = without(further, next & kBytesMask);
  const std::uint64_t access = (old & ~kBytesMask) | left;
  if (has_bytes(rest) && !same_time(rest, access)) return false;
  return exchange_reads(mine, {old, further}, {next, has_bytes(rest) ? merged(access, rest) : access});
}

/// All other ways.
template <unsigned kKind>
Outcome enter_at_length(Thread& self, const Cell& cell, std::uintptr_t cell_address, std::uint64_t bytes,
                        std::uint32_t place, Region region);

template <unsigned kKind>
RAVEL_INLINE Outcome enter_region(Thread& self, std::uintptr_t cell_address, std::uint64_t bytes,
                                  std::uint32_t place, Region region, bool tried) {
  const Cell cell(cell_address);
  if (kKind == kReadWord && read_shared(self, cell_address, bytes, AtSite{self, place}))
    return Outcome::Dropped;
  if (!tried && enter_shortly<kKind>(self, cell, bytes, region, AtSite{self, place})) return Outcome::Dropped;
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

/// A plain access to some bytes of a cell (a bit each), in code at `place`. `tried`: the short way was no
/// way. Record: the caller records it.
RAVEL_INLINE Outcome enter_cell(Thread& self, std::uintptr_t cell_address, std::uint64_t bytes, unsigned kind,
                                std::uint32_t place, bool tried) {
  Bias& bias = bias_of(cell_address);
  while (true) {
    {
      const Working working(self);
      const Region region = region_of(self, bias);
      if (region == Region::Shared) count_use(self, bias);
      if (region != Region::Undecided)
        return kind == kReadWord ? enter_region<kReadWord>(self, cell_address, bytes, place, region, tried)
                                 : enter_region<kWriteWord>(self, cell_address, bytes, place, region, tried);
    }
    settle_region(self, bias);
  }
}

/// Whether another thread has touched the cell since it was new.
bool is_contended(const Thread& self, const Cell& cell);

}  // namespace ravel::rt
