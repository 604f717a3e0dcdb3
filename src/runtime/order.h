// Order: what the program's synchronization orders for certain, that is, in every analysis of the filter
// level `owner`. Accesses that it orders need not be recorded.
//
// Two clocks for every thread, as in the analyses (Smaragdakis et al. 2012):
//   H  what happens before the thread's next event
//   C  what is certain to come before it: the H of the source of every edge of fork, join and atomics whose
//      target happens before it, and of every section of a lock that clashes with one of a thread before it.
//      Both accesses of a clash are in the stream, so that the analyses know of it, too.
// Both may be less than the truth, as where a program uses barriers: then more is recorded.
//
// Outside of locks atomic operations need no records: what they order is in the clocks. A thread that has
// acquired something tells so by records of the kind After, when it next records anything, from what was in
// the variable's clock. This needs H to be the whole truth for who releases: it is not for threads that come
// after others by what H does not know of (barriers, readers of a lock, conditions, acquire fences), nor for
// those who learn of such threads' doings. They are partial, and record all that they synchronize.
#pragma once

#include <cstddef>
#include <cstdint>

#include "event/event.h"
#include "runtime/sync_objects.h"

namespace ravel::rt {

struct Thread;
struct SyncEvent;

/// Threads that have an entry in clocks. What others do is never certain.
inline constexpr std::uint32_t kMaxClocks = 256;
inline constexpr std::uint32_t kNoClock = kMaxClocks;

/// No clock gets there.
inline constexpr ClockTime kUnreached = UINT64_MAX / 2;

/// A thread's part of it.
struct ThreadOrder {
  struct Held {
    SyncLock* lock;
    ClockTime first;      ///< time of the first access inside
    std::uint32_t depth;  ///< how often it is held
  };
  struct Known {
    std::uintptr_t address;
    SyncLock* lock;
  };
  static constexpr std::uint32_t kMaxHeld = 16;
  static constexpr std::size_t kKnown = 16;

  std::uint32_t clock;     ///< its entry
  ClockTime base;          ///< its local time 0 on the entry
  std::uint32_t sections;  ///< locks it holds, of any kind
  bool fenced;             ///< it has done a release fence: all its stores synchronize
  bool partial;            ///< it may know more than H says
  std::uint32_t held_count;
  Held held[kMaxHeld];  ///< exclusively; of more, no section is known
  Known known[kKnown];  ///< recently used locks, each where its address says
  ClockTime C[kMaxClocks];
  ClockTime H[kMaxClocks];
  ClockTime fence[kMaxClocks];    ///< H at the last release fence
  ClockTime untold[kMaxClocks];   ///< what it has acquired and the stream does not know of; 0: nothing
  ClockTime pending[kMaxClocks];  ///< what an acquire fence would acquire of that kind

  /// Whether its atomic operations that write may synchronize without records, if their variables allow it.
  bool may_hide() const { return sections == 0 && !partial && !fenced; }
};

/// A new thread: all of its parent so far is certain. Null: it has none.
void begin_order(Thread& self, const Thread* parent);
/// It is about to end: who joins it comes after all of it.
void end_order(const Thread& self);

/// The edges into an event, before it has its stamp; and what it leaves for others, after.
void order_before(Thread& self, const SyncEvent& event);
void order_after(Thread& self, const SyncEvent& event);

/// Whether an acquire of the variable would order nothing before it that is not certain already. Asked by
/// who has the variable's lock; else the answer is right if its version was even and has not changed.
bool knows_releases(const Thread& self, std::uintptr_t address, std::uint32_t width);
/// Whether an acquire of the variable may order something before it at all. Asked by who has its lock.
bool has_releases(std::uintptr_t address, std::uint32_t width);

/// How an atomic operation outside of locks may synchronize; one that writes only if the thread's order
/// may_hide(). Asked by who has the variable's lock.
enum class Hiding : std::uint8_t {
  No,      ///< by its record only: so do others
  Silent,  ///< without a record
  Told,    ///< so, but it needs a record: it ends what the stream has of the variable's releases
};
Hiding hiding_of(std::uintptr_t address, std::uint32_t width, EventKind kind);
/// A load that was done while the variable's version was this, which is even: the thread comes after what was
/// released, without a record. False: nothing was done, because it needs one, or the version is another now.
bool load_silently(Thread& self, std::uintptr_t address, std::uint32_t width, MemoryOrder order,
                   std::uint32_t version);
/// Records all that the thread has acquired and the stream does not know of.
void tell_order(Thread& self);

/// The thread is about to clash with an access at this time of the owner of an entry; both are in the stream.
/// If both are in sections of one lock, all before the end of the other section is certain from now on.
void order_clash(Thread& self, std::uint32_t clock, ClockTime time);

/// In a new stream.
void forget_order();

}  // namespace ravel::rt
