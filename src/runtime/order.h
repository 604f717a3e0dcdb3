// Order: what the program's synchronization orders for certain, that is, in every analysis of the filter
// level `owner`. Accesses that it orders need not be recorded.
//
// Two clocks for every thread, as in the analyses (Smaragdakis et al. 2012):
//   H  what happens before the thread's next event
//   C  what is certain to come before it: the H of the source of every edge of fork, join and atomics whose
//      target happens before it, and of every section of a lock that clashes with one of a thread before it.
//      Both accesses of a clash are in the stream, so that the analyses know of it, too.
// Both may be less than the truth, as where a program uses barriers or fences: then more is recorded.
//
// A lock's and an atomic variable's clocks are the runtime's own, found by the address. Those in memory that
// is freed are forgotten.
#pragma once

#include <cstddef>
#include <cstdint>

#include "event/event.h"
#include "runtime/platform.h"

namespace ravel::rt {

struct Thread;
struct SyncEvent;
struct SyncObject;

/// Threads that have an entry in clocks. What others do is never certain.
inline constexpr std::uint32_t kMaxClocks = 256;
inline constexpr std::uint32_t kNoClock = kMaxClocks;

/// A time on a thread's entry in clocks: its local time from a base on, which differs if another thread has
/// had the entry before.
using ClockTime = std::uint64_t;
/// No clock gets there.
inline constexpr ClockTime kUnreached = UINT64_MAX / 2;

/// A thread's part of it.
struct ThreadOrder {
  struct Held {
    SyncObject* lock;
    ClockTime first;      ///< time of the first access inside
    std::uint32_t depth;  ///< how often it is held
  };
  struct Known {
    std::uint64_t key;
    SyncObject* object;
  };
  static constexpr std::uint32_t kMaxHeld = 16;
  static constexpr std::size_t kKnown = 16;

  std::uint32_t clock;  ///< its entry
  ClockTime base;       ///< its local time 0 on the entry
  std::uint32_t held_count;
  Held held[kMaxHeld];  ///< exclusively; of more, no section is known
  Known known[kKnown];  ///< recently used objects, each where a hash of its key says
  ClockTime C[kMaxClocks];
  ClockTime H[kMaxClocks];
};

/// A new thread: all of its parent so far is certain. Null: it has none.
void begin_order(Thread& self, const Thread* parent);
/// It is about to end: who joins it comes after all of it.
void end_order(const Thread& self);

/// The edges into an event, before it has its stamp; and what it leaves for others, after.
void order_before(Thread& self, const SyncEvent& event);
void order_after(Thread& self, const SyncEvent& event);

/// The thread is about to clash with an access at this time of the owner of an entry; both are in the stream.
/// If both are in sections of one lock, all before the end of the other section is certain from now on.
void order_clash(Thread& self, std::uint32_t clock, ClockTime time);

/// The memory is given back or used anew: what synchronized there is gone.
void forget_order_of(std::uintptr_t address, std::size_t bytes);
/// Who reads these bytes of memory from now on reads no atomic store.
void forget_atomics(std::uintptr_t address, std::size_t bytes);
/// In a new stream.
void forget_order();

}  // namespace ravel::rt
