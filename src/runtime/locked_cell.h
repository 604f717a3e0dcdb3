// The long way of accesses (cell.h): a cell's slots, taken out, changed with nobody in between, and put
// back.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/cell.h"
#include "runtime/further_slots.h"
#include "runtime/recorder.h"

namespace ravel::rt {

/// A cell that the thread has locked, or that is in a region of its own (bias.h), with its slots.
class LockedCell {
 public:
  enum class Shared : std::uint8_t { End, Keep };
  /// A word that is shared (shared_reads.h) is so no more, unless that is to be kept.
  RAVEL_INLINE LockedCell(Thread& self, const Cell& cell, std::uintptr_t address, Region region,
                          Shared shared = Shared::End)
      : self_(self), cell_(cell), address_(address), further_(cell, address) {
    std::uint64_t word = __atomic_load_n(&cell.read(), __ATOMIC_RELAXED);
    while (region != Region::Own &&
           ((word & kLocked) != 0 || !__atomic_compare_exchange_n(&cell.read(), &word, word | kLocked, false,
                                                                  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))) {
      if ((word & kLocked) != 0) word = wait();
    }
    original_ = word;
    const std::uint64_t write = __atomic_load_n(&cell.write(), __ATOMIC_RELAXED);
    read_ = word & kSlotMask;
    write_ = write & kSlotMask;
    flags_ = write & kInStream;
    if ((word & kFurther) != 0) further_.take(word, write);
    if (shared == Shared::End && is_shared()) [[unlikely]]
      end_sharing();
  }
  /// Nothing has changed.
  void leave_alone() {
    further_.leave();
    __atomic_store_n(&cell_.read(), original_, __ATOMIC_RELEASE);
  }
  RAVEL_INLINE void leave() {
    std::uint64_t read = read_;
    if ((original_ & kFurther) != 0 || further_.any(has_bytes)) [[unlikely]]
      read |= further_.put_back();
    std::uint64_t write = write_ | flags_;
    if (is_ordered()) {
      if (incarnation_of(read) == self_.incarnation) read |= kOrdered;
      if (incarnation_of(write) == self_.incarnation) write |= kOrdered;
    }
    change(cell_.write(), write);
    __atomic_store_n(&cell_.read(), read, __ATOMIC_RELEASE);
    further_.leave();
  }

  bool marks_block() const { return incarnation_of(original_) == kBlockMark; }
  std::uintptr_t address() const { return address_; }
  bool is_in_stream() const { return (flags_ & kInStream) != 0; }

  /// Whether an access to these bytes may be unordered with one that it clashes with.
  template <unsigned kKind>
  RAVEL_INLINE bool clashes(std::uint64_t bytes) const {
    // The thread's last read of these bytes is younger than the plain writes, or they would have taken its
    // place. If they were not ordered, both are in the stream, and nothing new is to be said of them.
    const bool knows_writes = kKind == kReadWord && incarnation_of(read_) == self_.incarnation &&
                              covers(read_, bytes) && incarnation_of(read_) != 0 && !is_atomic_slot(read_);
    if (knows_writes && !is_atomic()) return false;
    return clash(write_, bytes) || (kKind == kWriteWord && clash(read_, bytes)) ||
           ((original_ & kFurther) != 0 &&
            further_.any([&](std::uint64_t slot) { return further_clash<kKind>(slot, bytes); }));
  }
  /// Whether there are atomic accesses; to these bytes: who reads what is written there plainly reads no
  /// atomic store, which the analyses have to know.
  bool is_atomic() const {
    return ((read_ | write_) & kAtomic) != 0 ||
           further_.any([](std::uint64_t slot) { return is_atomic_slot(slot); });
  }
  bool has_atomics(std::uint64_t bytes) {
    bool found = false;
    each([&](std::uint64_t slot, bool) {
      found |= (slot & bytes) != 0 && (is_atomic_slot(slot) || incarnation_of(slot) == 0);
    });
    return found;
  }

  /// Sees to it that the stream knows of all accesses that giving the memory back clashes with and is not
  /// ordered after.
  void tell_clashes_with_end() {
    tell(choose([&](std::uint64_t slot, bool) { return clash(slot, kBytesMask); }));
  }
  /// The same for an access of this kind to these bytes, which will be recorded. Such clashes may order more
  /// (order.h). False: recording has stopped.
  bool tell_clashes(std::uint64_t bytes, unsigned kind) { return tell_clashes(clashes_of(bytes, kind)); }

  /// An atomic access: the same for the plain ones that it clashes with, if there are any; then it has to be
  /// recorded. And two atomic accesses that nothing orders must not stay unknown, though they do not race
  /// (CausalRaces); but one such pair is enough. False: recording has stopped.
  bool tell_clashes_with_atomic(std::uint64_t bytes, unsigned kind, bool& recorded) {
    Chosen clashes = clashes_of(bytes, kind);
    const Chosen atomic = take_atomics(clashes);
    if (atomic.count > 0 && !recorder.told_atomic) {
      bool all_told = true;
      for (std::size_t i = 0; i < atomic.count; ++i) all_told &= is_told(*atomic.slots[i]);
      recorded |= all_told;
      if (!tell(atomic)) return false;
    }
    recorded |= clashes.count > 0;
    return tell_clashes(clashes);
  }

  /// An atomic access that is recorded: whatever the slots say about these bytes is told. Of atomic accesses
  /// stays that there was one, which others that are recorded need not change; so the next plain access to
  /// these bytes is recorded, too. False: recording has stopped.
  bool hand_over(std::uint64_t bytes) {
    if (!tell(choose([&](std::uint64_t slot, bool) { return (slot & bytes) != 0; }))) return false;
    each([&](std::uint64_t& slot, bool) {
      if (is_atomic_slot(slot)) slot = without(slot, bytes);
    });
    if (is_told(read_) && same_time(read_, write_)) read_ = without(read_, write_ & kBytesMask);
    if (has_bytes(write_) && !same_time(write_, kAtomic))
      displace(write_ | kOfWrite);
    else
      bytes |= write_ & kBytesMask;
    write_ = kAtomic | bytes;
    return true;
  }
  /// One that is not. It takes the place of atomic ones that it is ordered after.
  void enter_atomically(std::uint64_t access, unsigned kind) {
    const std::uint64_t bytes = access & kBytesMask;
    each([&](std::uint64_t& slot, bool is_write) {
      const bool replaced = is_atomic_slot(slot) && (kind == kWriteWord || !is_write);
      if (replaced && (slot & bytes) != 0 && is_certain(self_, slot)) slot = without(slot, bytes);
    });
    // What shows that reads repeat a write at a glance (read_after_write) may go.
    if (is_told(read_) && same_time(read_, write_)) read_ = without(read_, write_ & kBytesMask);
    // Who is there knows the writes (knows_writes).
    if (kind == kWriteWord && has_bytes(read_) && !is_atomic_slot(read_)) displace(std::exchange(read_, 0));
    std::uint64_t& last = kind == kWriteWord ? write_ : read_;
    const std::uint64_t left = last;
    if (kind == kWriteWord && same_time(left, kAtomic) && has_bytes(left)) return displace(access | kOfWrite);
    last = access;
    if (!has_bytes(left)) return;
    if (same_time(left, access) && is_told(left) == is_told(access))
      last = merged(access, left);
    else
      displace(left | (kind == kWriteWord ? kOfWrite : 0));
  }

  /// The thread's access is the last of its kind now. Whatever it clashes with is ordered before it, or both
  /// are in the stream; so a write takes the place of all before it.
  template <unsigned kKind>
  RAVEL_INLINE void enter(std::uint64_t access) {
    const std::uint64_t bytes = access & kBytesMask;
    if ((original_ & kFurther) != 0) {
      for (std::uint64_t& slot : further_.all())
        if (kKind == kWriteWord || ((slot & kOfWrite) == 0 && (slot & bytes) != 0 && is_certain(self_, slot)))
          slot = without(slot, bytes);
    }
    std::uint64_t& last = kKind == kWriteWord ? write_ : read_;
    std::uint64_t left = last;
    if (kKind == kWriteWord || ((left & bytes) != 0 && is_certain(self_, left))) left = without(left, bytes);
    last = access;
    if (kKind == kWriteWord) read_ = read_after_write(read_, access);
    if (!has_bytes(left)) return;
    if (same_time(left, access))
      last = merged(access, left);
    else
      displace(left | (kKind == kWriteWord ? kOfWrite : 0));
  }

  /// Another thread's last write shall not look repeated when it writes again at the same time: that clashes
  /// with the read at hand.
  void hide_write(std::uint64_t bytes) {
    if (!clash(write_, bytes) || incarnation_of(write_) == 0) return;
    displace(write_ | kOfWrite);
    write_ = 0;
  }

  bool is_shared() const { return is_shared_word(read_); }
  bool is_shared_by_readers() const { return is_word_of_readers(read_); }
  bool is_shared_by_atomics() const { return is_word_of_atomics(read_); }
  bool is_shared_by_thread() const { return is_sharer(self_, read_); }
  /// The thread has read the word, then another one, and now it comes back; and there is no more than one
  /// write to look at.
  bool is_read_in_turns() const {
    if (!has_bytes(read_) || incarnation_of(read_) == self_.incarnation) return false;
    bool read_before = false;
    const bool others = further_.any([&](std::uint64_t slot) {
      read_before |= has_bytes(slot) && incarnation_of(slot) == self_.incarnation;
      return (slot & (kOfWrite | kAtomic)) != 0;
    });
    return !others && read_before && !is_atomic_slot(read_ | write_);
  }
  /// The word is shared from now on. The thread was the last to read it, and has room in its table.
  void share() {
    keep_reads(self_, address_, {read_, 0});
    read_ = kWordOfReaders | self_.reader_bit;
  }
  /// A read of a shared word by who is no reader of it yet, or whose table had no room for this read beside
  /// the others. `has_room`: it has for the first.
  void read_shared(std::uint64_t access, bool has_room) {
    if (is_shared_by_thread()) {
      const ReadPair old = take_reads(rt::shared_read(self_, address_));
      take_in(without(old.further, access & kBytesMask));
      if (same_time(old.last, access))
        access = merged(access, old.last);
      else
        take_in(without(old.last, access & kBytesMask));
    } else if (!has_room) {
      return take_in(access);
    }
    keep_reads(self_, address_, {access, 0});
    read_ |= self_.reader_bit;
  }

  /// Nothing plain in the cell may be unordered with what the thread does, of either kind.
  bool passes_plain_accesses() const {
    const auto is_unordered = [&](std::uint64_t slot) {
      return has_bytes(slot) && !is_atomic_slot(slot) && !is_certain(self_, slot);
    };
    return !is_unordered(write_) && (is_shared() || !is_unordered(read_)) && !further_.any(is_unordered);
  }
  /// The thread and others use the word atomically in turns, and the stream need not know of it: they share
  /// it from now on. The thread's own access of this kind was the last, and it has room in its table.
  void share_atomically(unsigned kind) {
    const auto take = [&](std::uint64_t& slot, std::uint64_t mark) -> std::uint64_t {
      if (!is_atomic_slot(slot) || incarnation_of(slot) != self_.incarnation) return 0;
      return std::exchange(slot, 0) | mark;
    };
    const std::uint64_t read = take(read_, 0);
    const std::uint64_t write = take(write_, kOfWrite);
    if (has_bytes(read_)) displace(std::exchange(read_, 0));
    keep_reads(self_, address_, kind == kWriteWord ? ReadPair{write, read} : ReadPair{read, write});
    read_ = kWordOfAtomics | self_.reader_bit;
  }
  /// An atomic access to a word that is shared so, as in a further slot, by who does not share it yet, or
  /// whose table had no room for it beside the others. `has_room`: it has for the first.
  void access_shared_atomically(std::uint64_t access, bool has_room) {
    if (is_shared_by_thread())
      take_in(take_reads(rt::shared_read(self_, address_)));
    else if (!has_room)
      return take_in(access);
    keep_reads(self_, address_, {access, 0});
    read_ |= self_.reader_bit;
  }
  /// The thread shares the word no more.
  void give_up_sharing() {
    take_in(take_reads(rt::shared_read(self_, address_)));
    read_ &= ~self_.reader_bit;
  }
  /// Nobody is.
  RAVEL_NOINLINE void end_sharing() {
    const std::uint64_t word = read_;
    read_ = 0;
    each_reader(word, address_, [&](SharedRead& entry) { take_in(take_reads(entry)); });
    original_ = read_ | further_.put_back();
  }

  /// In runs that switch where memory is shared, all of it that several threads have used counts as known.
  void note_others() {
    each([&](const std::uint64_t& slot, bool) {
      if (has_bytes(slot) && incarnations[incarnation_of(slot)].thread != self_.index) flags_ |= kInStream;
    });
  }

 private:
  /// An access of a thread that has kept it itself, which is younger than what the cell has of it.
  void take_in(std::uint64_t access) {
    if (!has_bytes(access)) return;
    const auto replace = [&](std::uint64_t& slot, std::uint64_t mark) {
      if (((slot | mark) & (kOfWrite | kAtomic)) == (access & (kOfWrite | kAtomic)) && has_bytes(slot) &&
          thread_of(slot) == thread_of(access))
        slot = without(slot, access & kBytesMask);
    };
    for (std::uint64_t& slot : further_.all()) replace(slot, 0);
    const bool writes = (access & kOfWrite) != 0;
    if (writes) replace(write_, kOfWrite);
    std::uint64_t& last = writes ? write_ : read_;
    if (has_bytes(last))
      displace(access);
    else
      last = access & ~kOfWrite;
  }
  void take_in(const ReadPair& kept) {
    take_in(kept.further);
    take_in(kept.last);
  }

  RAVEL_NOINLINE std::uint64_t wait() const {
    std::uint64_t word = 0;
    for (int i = 0; ((word = __atomic_load_n(&cell_.read(), __ATOMIC_RELAXED)) & kLocked) != 0; ++i)
      pause_or_yield(i);
    return word;
  }

  static std::uint32_t thread_of(std::uint64_t slot) { return incarnations[incarnation_of(slot)].thread; }
  static std::uint64_t time_of(std::uint64_t slot) {
    return incarnations[incarnation_of(slot)].time_base + epoch_of(slot);
  }

  static constexpr std::size_t kMaxSlots = 2 + FurtherSlots::kMax;
  struct Chosen {
    std::uint64_t* slots[kMaxSlots];
    bool writes[kMaxSlots];
    std::size_t count = 0;
  };

  /// What an access of this kind to these bytes clashes with, if it is plain, and may be unordered with.
  Chosen clashes_of(std::uint64_t bytes, unsigned kind) {
    return choose([&](std::uint64_t slot, bool is_write) {
      return (is_write || kind == kWriteWord) && (slot & bytes) != 0 && !is_certain(self_, slot);
    });
  }
  /// Those of atomic accesses are taken from the others.
  static Chosen take_atomics(Chosen& all) {
    Chosen atomic;
    std::size_t rest = 0;
    for (std::size_t i = 0; i < all.count; ++i) {
      Chosen& to = is_atomic_slot(*all.slots[i]) ? atomic : all;
      std::size_t& at = &to == &all ? rest : atomic.count;
      to.slots[at] = all.slots[i];
      to.writes[at++] = all.writes[i];
    }
    all.count = rest;
    return atomic;
  }

  bool tell_clashes(const Chosen& clashes) {
    if (!tell(clashes)) return false;
    for (std::size_t i = 0; i < clashes.count; ++i) {
      const std::uint64_t slot = *clashes.slots[i];
      const Incarnation& who = incarnations[incarnation_of(slot)];
      order_clash(self_, who.clock, who.clock_base + epoch_of(slot));
    }
    return true;
  }

  template <typename Choose>
  Chosen choose(Choose is_chosen) {
    Chosen chosen;
    each([&](std::uint64_t& slot, bool is_write) {
      if (!is_chosen(slot, is_write)) return;
      chosen.slots[chosen.count] = &slot;
      chosen.writes[chosen.count++] = is_write;
    });
    return chosen;
  }

  bool tell(const Chosen& chosen) {
    Remembered untold[kMaxSlots];
    std::size_t count = 0;
    for (std::size_t i = 0; i < chosen.count; ++i)
      if (!is_told(*chosen.slots[i])) untold[count++] = {*chosen.slots[i] & kSlotMask, chosen.writes[i]};
    flags_ |= kInStream;
    if (count > 0 && !record_remembered(self_, address_, untold, count)) return false;
    for (std::size_t i = 0; i < chosen.count; ++i) *chosen.slots[i] &= ~(kCellPlaceMask | kNear);
    return true;
  }

  template <typename Do>
  RAVEL_INLINE void each(Do act) {
    act(read_, false);
    act(write_, true);
    for (std::uint64_t& slot : further_.all()) act(slot, (slot & kOfWrite) != 0);
  }

  RAVEL_INLINE bool is_ordered() const {
    return !is_atomic() && !clash(read_, kBytesMask) && !clash(write_, kBytesMask) &&
           !further_.any([&](std::uint64_t slot) { return clash(slot, kBytesMask); });
  }

  RAVEL_INLINE bool clash(std::uint64_t slot, std::uint64_t bytes) const {
    return (slot & bytes) != 0 && !is_certain(self_, slot);
  }

  template <unsigned kKind>
  RAVEL_INLINE bool further_clash(std::uint64_t slot, std::uint64_t bytes) const {
    return (kKind == kWriteWord || (slot & kOfWrite) != 0) && clash(slot, bytes);
  }

  /// Keeps an access in the further slots. A read that the thread has written over at the same time says
  /// nothing more than the write.
  RAVEL_INLINE void displace(std::uint64_t access) {
    if ((access & kOfWrite) == 0) {
      if (same_time(write_, access)) access = without(access, write_ & kBytesMask);
      for (const std::uint64_t slot : further_.all())
        if ((slot & kOfWrite) != 0 && same_time(slot, access)) access = without(access, slot & kBytesMask);
      if (!has_bytes(access)) return;
    }
    for (std::uint64_t& slot : further_.all()) {
      if (has_bytes(slot) && !are_alike(slot, access)) continue;
      slot = has_bytes(slot) ? merged(access, slot) : access;
      return;
    }
    if (std::uint64_t* const more = further_.add(); more != nullptr)
      *more = access;
    else
      evict(access);
  }

  /// Of all further slots and one more, two of the same kind become one that is in the stream: if they are of
  /// one thread, at the later time, so that who is ordered after that is ordered after both; else of nobody.
  RAVEL_NOINLINE void evict(std::uint64_t access) {
    const std::span<std::uint64_t> slots = further_.all();
    int best = -1;
    std::uint64_t *first = nullptr, *second = nullptr;
    const auto consider = [&](std::uint64_t& one, std::uint64_t& other) {
      if (((one ^ other) & kOfWrite) != 0) return;
      const int merit = 4 * (is_atomic_slot(one) == is_atomic_slot(other)) +
                        2 * (thread_of(one) == thread_of(other)) + is_told(one) + is_told(other);
      if (merit <= best) return;
      best = merit;
      first = &one;
      second = &other;
    };
    for (std::size_t i = 0; i < slots.size(); ++i) {
      consider(access, slots[i]);
      for (std::size_t j = i + 1; j < slots.size(); ++j) consider(slots[i], slots[j]);
    }
    Remembered untold[2];
    std::size_t count = 0;
    for (const std::uint64_t slot : {*first, *second})
      if (!is_told(slot)) untold[count++] = {slot & kSlotMask, (slot & kOfWrite) != 0};
    flags_ |= kInStream;
    if (count > 0) record_remembered(self_, address_, untold, count);
    const bool of_one = thread_of(*first) == thread_of(*second);
    const std::uint64_t last = time_of(*first) > time_of(*second) ? *first : *second;
    const std::uint64_t both = ((*first | *second) & (kOfWrite | kBytesMask)) | (*first & *second & kAtomic) |
                               (of_one ? last & kTagMask & ~kAtomic : 0);
    if (first != &access) *first = access;
    *second = both;
  }

  Thread& self_;
  Cell cell_;
  std::uintptr_t address_;
  std::uint64_t original_;  ///< the read word
  std::uint64_t read_;
  std::uint64_t write_;
  std::uint64_t flags_;  ///< of the write word
  FurtherSlots further_;
};

}  // namespace ravel::rt
