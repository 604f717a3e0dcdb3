// Sync objects: what the order (order.h) keeps for the program's locks and atomic variables, found by their
// addresses. It lies in memory of the runtime's own, is never given back, and may be looked at by all
// threads at any time. What is in memory that the program gives back is forgotten.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/platform.h"

namespace ravel::rt {

/// A time on a thread's entry in clocks: its local time from a base on, which differs if another thread has
/// had the entry before.
using ClockTime = std::uint64_t;

/// Some clocks with the same number of entries, one behind the other.
struct Clocks {
  std::uint32_t room;  ///< entries of each
  ClockTime times[1];

  ClockTime* at(std::uint32_t number) { return times + std::size_t{number} * room; }
};
/// Clocks with room for so many entries, and what the old ones say; the old ones, if they have that room.
/// Null: there is no memory for them.
Clocks* make_clocks(Clocks* old, std::uint32_t count, std::uint32_t entries);

/// A lock, which is changed by who holds it.
struct SyncLock {
  /// The last sections. Times begin at 1: at first there is none.
  struct Section {
    std::uint32_t clock;  ///< the thread's entry in clocks
    ClockTime first;
    ClockTime last;
  };
  static constexpr std::uint32_t kSections = 4;

  std::uintptr_t address;
  std::uint64_t
      name;        ///< no other lock has had it, also not at the same address; 0: it has not been used yet
  SyncLock* next;  ///< with the same hash
  SyncLock* next_in_page;  ///< in pages with the same hash
  Clocks* clocks;          ///< C, and H of each section; null: none yet
  std::uint32_t latest;    ///< of the sections
  bool is_partial;         ///< who acquires it may know more than the clocks say,
  bool is_shared;          ///< or who acquires it exclusively: readers have released it
  Section sections[kSections];

  ClockTime* certain() { return clocks->at(0); }
  ClockTime* of_section(std::uint32_t section) { return clocks->at(1 + section); }
};
/// Null: there is no memory for it.
SyncLock* lock_at(std::uintptr_t address);
/// Somebody uses the lock: it gets a name, if it has none.
void name_lock(SyncLock& lock);

/// An atomic variable that was released: what who acquires it comes after. It is changed by who has its
/// turns.
struct AtomicVariable {
  static constexpr std::uint32_t kTimes = 10;

  std::uintptr_t address;  ///< 0: none yet
  AtomicVariable* next;    ///< with the same turns
  Clocks* larger;          ///< the clock, if it has more entries than `times`
  std::uint8_t width;      ///< 0: there is no such variable any more
  bool is_unknown;         ///< more than the clock says may have been released
  bool is_partial;         ///< who has released something may have known more than the clock says
  bool told;               ///< the stream has some of what was released,
  bool untold;             ///< and lacks some: who acquires it says so
  ClockTime times[kTimes];
  AtomicVariable* next_in_page;  ///< in pages with the same hash

  struct Clock {
    ClockTime* times;
    std::uint32_t room;
  };
  Clock clock() {
    Clocks* const now = __atomic_load_n(&larger, __ATOMIC_ACQUIRE);
    return now != nullptr ? Clock{now->times, now->room} : Clock{times, kTimes};
  }
  /// The clock with room for so many entries; false: there is no memory for it.
  bool make_room(std::uint32_t entries);
};

/// Operations on an atomic variable, with their records, are done one after the other: under a lock that it
/// shares with few others. Most that is known of the variable lies beside it, in the same cache line.
struct alignas(128) AtomicTurns {
  SpinLock lock;
  /// Odd while somebody changes what acquires of one of the variables come after; 0: nobody ever has.
  std::uint32_t version = 0;
  AtomicVariable first = {};  ///< of the variables

  std::uint32_t now() const { return __atomic_load_n(&version, __ATOMIC_ACQUIRE); }
  /// By who has the lock, before the variable has its new value, and afterwards.
  void begin_change() {
    __atomic_store_n(&version, version + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
  }
  void end_change() { __atomic_store_n(&version, version + 1, __ATOMIC_RELEASE); }
};
static_assert(sizeof(AtomicTurns) == 128);
inline constexpr std::size_t kTurns = std::size_t{1} << 16;
extern AtomicTurns atomic_turns[kTurns];

RAVEL_INLINE AtomicTurns& turns_of(std::uintptr_t address) {
  const std::uintptr_t word = address >> 3;  // words side by side have theirs side by side
  return atomic_turns[(word ^ word >> 16 ^ word >> 32) % kTurns];
}
/// In a forked child: whatever atomic operation other threads were at, they are not there; nor is what they
/// have released.
void forget_atomic_turns();

/// The variable that begins there, by who has its turns; null: there is no memory for it.
AtomicVariable* make_variable(std::uintptr_t address, std::uint32_t width);

/// Calls a function with each variable that shares bytes with one of this width at `address`, and whether it
/// is that one.
template <typename Do>
RAVEL_INLINE void each_variable(std::uintptr_t address, std::uint32_t width, Do act) {
  const std::uintptr_t end = address + width;
  for (std::uintptr_t word = address & ~std::uintptr_t{7}; word < end; word += 8) {
    AtomicVariable* variable = &turns_of(word).first;
    for (; variable != nullptr; variable = __atomic_load_n(&variable->next, __ATOMIC_ACQUIRE)) {
      const std::uintptr_t begin = __atomic_load_n(&variable->address, __ATOMIC_ACQUIRE);
      if ((begin ^ word) >= 8) continue;
      const std::uint8_t known_width = __atomic_load_n(&variable->width, __ATOMIC_ACQUIRE);
      if (known_width != 0 && begin < end && begin + known_width > address)
        act(*variable, begin == address && known_width == width);
    }
  }
}

/// The memory is given back or used anew: what synchronized there is gone. True if the stream has to know of
/// that.
bool forget_order_of(std::uintptr_t address, std::size_t bytes);
/// Who reads these bytes of memory, which lie in one page, from now on reads no atomic store.
void forget_atomics(std::uintptr_t address, std::size_t bytes);

/// Zeroed memory that is never given back; null: there is no more.
void* take_sync_memory(std::size_t bytes);
/// In a new stream: there are no objects. False: there is no memory for any.
bool forget_sync_objects();

}  // namespace ravel::rt
