#include "runtime/cell.h"

#include "runtime/recorder.h"
#include "runtime/token.h"

namespace ravel::rt {
namespace {

/// The accesses that happened at the same time as one: two at several places are near each of them.
std::uint64_t merged(std::uint64_t slot, std::uint64_t other) {
  if (is_told(slot)) return other | (slot & kBytesMask);
  const bool elsewhere = !is_told(other) && ((slot ^ other) & kCellPlaceMask) != 0;
  return slot | (other & (kBytesMask | kNear)) | (elsewhere ? kNear : 0);
}

/// A cell that the thread has locked, or that is in a region of its own (bias.h), with its slots.
class LockedCell {
 public:
  RAVEL_INLINE LockedCell(Thread& self, const Cell& cell, std::uintptr_t address, Region region)
      : self_(self), cell_(cell), address_(address) {
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
    if ((word & kFurther) != 0) {
      // What a thread did that is ordered after all the others takes their place. The short way leaves them.
      const std::uint64_t written = (write & kOrdered) != 0 ? write & kBytesMask : 0;
      const std::uint64_t read = (word & kOrdered) != 0 ? word & kBytesMask : 0;
      for (int i = 0; i < 2; ++i) {
        const std::uint64_t slot = cell.further()[i];
        further_[i] = without(slot, (slot & kOfWrite) != 0 ? written : written | read);
      }
    }
  }
  /// Nothing has changed.
  void leave_alone() { __atomic_store_n(&cell_.read(), original_, __ATOMIC_RELEASE); }
  RAVEL_INLINE void leave() {
    std::uint64_t read = read_;
    if (((original_ & kFurther) | further_[0] | further_[1]) != 0) [[unlikely]] {
      cell_.further()[0] = further_[0];
      cell_.further()[1] = further_[1];
      if (has_bytes(further_[0]) || has_bytes(further_[1])) read |= kFurther;
    }
    std::uint64_t write = write_ | flags_;
    if (is_ordered()) {
      if (incarnation_of(read) == self_.incarnation) read |= kOrdered;
      if (incarnation_of(write) == self_.incarnation) write |= kOrdered;
    }
    __atomic_store_n(&cell_.write(), write, __ATOMIC_RELAXED);
    __atomic_store_n(&cell_.read(), read, __ATOMIC_RELEASE);
  }

  bool marks_block() const { return incarnation_of(original_) == kBlockMark; }
  bool is_in_stream() const { return (flags_ & kInStream) != 0; }

  /// Whether an access to these bytes may be unordered with one that it clashes with.
  template <unsigned kKind>
  RAVEL_INLINE bool clashes(std::uint64_t bytes) const {
    // The thread's last read of these bytes is younger than the writes, or they would have taken its place.
    // If they were not ordered, both are in the stream, and nothing new is to be said of them.
    if (kKind == kReadWord && incarnation_of(read_) == self_.incarnation && covers(read_, bytes) &&
        incarnation_of(read_) != 0)
      return false;
    return clash(write_, bytes) || (kKind == kWriteWord && clash(read_, bytes)) ||
           ((original_ & kFurther) != 0 &&
            (further_clash<kKind>(further_[0], bytes) || further_clash<kKind>(further_[1], bytes)));
  }

  /// Sees to it that the stream knows of all accesses that giving the memory back clashes with and is not
  /// ordered after.
  void tell_clashes_with_end() {
    tell(choose([&](std::uint64_t slot, bool) { return clash(slot, kBytesMask); }));
  }
  /// The same for an access of this kind to these bytes, which will be recorded. Such clashes may order more
  /// (order.h). False: recording has stopped.
  bool tell_clashes(std::uint64_t bytes, unsigned kind) {
    const Chosen clashes = choose([&](std::uint64_t slot, bool is_write) {
      return (is_write || kind == kWriteWord) && clash(slot, bytes);
    });
    if (!tell(clashes)) return false;
    for (std::size_t i = 0; i < clashes.count; ++i) {
      const std::uint64_t slot = *clashes.slots[i];
      const Incarnation& who = incarnations[incarnation_of(slot)];
      order_clash(self_, who.clock, who.clock_base + epoch_of(slot));
      // A plain write is not the value of an atomic store.
      if (incarnation_of(slot) == 0 && kind == kWriteWord) forget_atomics(address_, 8);
    }
    return true;
  }

  /// Whatever the slots say about these bytes is told and forgotten; in its stead stays that there is
  /// something. False: recording has stopped.
  bool hand_over(std::uint64_t bytes) {
    if (!tell(choose([&](std::uint64_t slot, bool) { return (slot & bytes) != 0; }))) return false;
    each([&](std::uint64_t& slot, bool) { slot = without(slot, bytes); });
    if (has_bytes(write_) && !same_time(write_, 0))
      displace(kOfWrite | bytes);
    else
      write_ |= bytes;
    return true;
  }

  /// The thread's access is the last of its kind now. Whatever it clashes with is ordered before it, or both
  /// are in the stream; so a write takes the place of all before it.
  template <unsigned kKind>
  RAVEL_INLINE void enter(std::uint64_t access) {
    const std::uint64_t bytes = access & kBytesMask;
    if ((original_ & kFurther) != 0) {
      for (std::uint64_t& slot : further_)
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
    if (!clash(write_, bytes) || same_time(write_, 0)) return;
    displace(write_ | kOfWrite);
    write_ = 0;
  }

  /// In runs that switch where memory is shared, all of it that several threads have used counts as known.
  void note_others() {
    each([&](const std::uint64_t& slot, bool) {
      if (has_bytes(slot) && incarnations[incarnation_of(slot)].thread != self_.index) flags_ |= kInStream;
    });
  }

 private:
  RAVEL_NOINLINE std::uint64_t wait() const {
    std::uint64_t word = 0;
    for (int i = 0; ((word = __atomic_load_n(&cell_.read(), __ATOMIC_RELAXED)) & kLocked) != 0; ++i)
      pause_or_yield(i);
    return word;
  }

  struct Pair {
    int first, second;
  };
  static std::uint32_t thread_of(std::uint64_t slot) { return incarnations[incarnation_of(slot)].thread; }
  static std::uint64_t time_of(std::uint64_t slot) {
    return incarnations[incarnation_of(slot)].time_base + epoch_of(slot);
  }

  struct Chosen {
    std::uint64_t* slots[4];
    bool writes[4];
    std::size_t count = 0;
  };

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
    Remembered untold[4];
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
    act(further_[0], (further_[0] & kOfWrite) != 0);
    act(further_[1], (further_[1] & kOfWrite) != 0);
  }

  RAVEL_INLINE bool is_ordered() const {
    return !clash(read_, kBytesMask) && !clash(write_, kBytesMask) && !clash(further_[0], kBytesMask) &&
           !clash(further_[1], kBytesMask);
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
      for (const std::uint64_t slot : further_)
        if ((slot & kOfWrite) != 0 && same_time(slot, access)) access = without(access, slot & kBytesMask);
      if (!has_bytes(access)) return;
    }
    for (std::uint64_t& slot : further_) {
      const bool alike = ((slot ^ access) & (kOfWrite | kTagMask)) == 0 && is_told(slot) == is_told(access);
      if (has_bytes(slot) && !alike) continue;
      slot = has_bytes(slot) ? merged(access, slot) : access;
      return;
    }
    evict(access);
  }

  /// Of three slots, two of the same kind become one that is in the stream: if they are of one thread, at the
  /// later time, so that who is ordered after that is ordered after both; else of nobody.
  RAVEL_NOINLINE void evict(std::uint64_t access) {
    const std::uint64_t all[3] = {access, further_[0], further_[1]};
    int best = -1, first = 0, second = 1;
    for (const auto& [i, j] : {Pair{0, 1}, Pair{0, 2}, Pair{1, 2}}) {
      if (((all[i] ^ all[j]) & kOfWrite) != 0) continue;
      const int merit = 2 * (thread_of(all[i]) == thread_of(all[j])) + is_told(all[i]) + is_told(all[j]);
      if (merit <= best) continue;
      best = merit;
      first = i;
      second = j;
    }
    Remembered untold[2];
    std::size_t count = 0;
    for (const std::uint64_t slot : {all[first], all[second]})
      if (!is_told(slot)) untold[count++] = {slot & kSlotMask, (slot & kOfWrite) != 0};
    flags_ |= kInStream;
    if (count > 0) record_remembered(self_, address_, untold, count);
    const bool of_one = thread_of(all[first]) == thread_of(all[second]);
    const std::uint64_t last = time_of(all[first]) > time_of(all[second]) ? all[first] : all[second];
    further_[0] = ((all[first] | all[second]) & (kOfWrite | kBytesMask)) | (of_one ? last & kTagMask : 0);
    further_[1] = all[3 - first - second];
  }

  Thread& self_;
  Cell cell_;
  std::uintptr_t address_;
  std::uint64_t original_;  ///< the read word
  std::uint64_t read_;
  std::uint64_t write_;
  std::uint64_t flags_;  ///< of the write word
  std::uint64_t further_[2] = {};
};

/// The access may be unordered with others: it has to be recorded.
template <unsigned kKind>
RAVEL_NOINLINE Outcome enter_clashing(Thread& self, LockedCell& cell, std::uint64_t bytes) {
  if (!cell.tell_clashes(bytes, kKind)) {
    cell.leave_alone();
    return Outcome::Dropped;
  }
  if (kKind == kReadWord) cell.hide_write(bytes);
  cell.enter<kKind>(self.incarnation != 0 ? self.tag | bytes : bytes);
  cell.leave();
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

}  // namespace

template <unsigned kKind>
Outcome enter_at_length(Thread& self, const Cell& cell, std::uintptr_t cell_address, std::uint64_t bytes,
                        std::uint32_t place, Region region) {
  LockedCell locked(self, cell, cell_address, region);
  if (locked.marks_block()) [[unlikely]] {
    locked.leave_alone();
    return Outcome::Record;
  }
  if (locked.clashes<kKind>(bytes)) [[unlikely]]
    return enter_clashing<kKind>(self, locked, bytes);
  const std::uint64_t where = self.incarnation != 0 ? cell_place(site_of(self, place)) : 0;
  if (where == 0) [[unlikely]]  // it cannot be remembered
    return enter_clashing<kKind>(self, locked, bytes);
  if (switch_at == SwitchAt::Shared) [[unlikely]]
    locked.note_others();
  locked.enter<kKind>(self.tag | where | bytes);
  locked.leave();
  return Outcome::Dropped;
}

template Outcome enter_at_length<kReadWord>(Thread&, const Cell&, std::uintptr_t, std::uint64_t,
                                            std::uint32_t, Region);
template Outcome enter_at_length<kWriteWord>(Thread&, const Cell&, std::uintptr_t, std::uint64_t,
                                             std::uint32_t, Region);

void enter_cell_atomically(Thread& self, const Cell& cell, std::uintptr_t cell_address, std::uint64_t bytes) {
  const std::uint64_t read = __atomic_load_n(&cell.read(), __ATOMIC_ACQUIRE);
  const std::uint64_t write = __atomic_load_n(&cell.write(), __ATOMIC_RELAXED);
  if ((read & (kLocked | kFurther | bytes)) == 0 && same_time(write, 0) && covers(write, bytes)) return;
  work_at(self, cell_address, [&](Region region) {
    LockedCell locked(self, cell, cell_address, region);
    if (locked.marks_block()) return locked.leave_alone();
    if (!locked.hand_over(bytes)) return locked.leave_alone();
    locked.leave();
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
