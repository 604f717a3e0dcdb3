// The filter levels as their definitions say, on small traces: what a recorder at that level leaves of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "witness/small_trace.h"

namespace ravel {

struct Filtered {
  SmallTrace trace;
  /// By index in trace.events: the position in the whole trace; of a retroactive access that of the access.
  std::vector<std::uint64_t> original;
  /// By index in the whole trace: the position of the event that is kept in its stead; its own if it is kept,
  /// 0 if none is.
  std::vector<std::uint64_t> stands_for;
  std::uint64_t dropped = 0;
};

/// An access is dropped if it is certain that every earlier one it clashes with is ordered before it.
///
/// Each thread t has two clocks, which say up to which local time of each thread its accesses are covered:
///   H_t  some of what happens before its next event. Fork, join, what an acquire operation reads from a
///        release operation, and the exclusive releases before an acquire hand on H, as in SyncClocks, with
///        the local time of the event's thread as its own entry. So do stores after a release fence, with
///        the H of the fence. Acquire fences, barriers and shared releases hand on nothing: the clocks may
///        know less than is true.
///   C_t  what is certain: what every analysis that this level is for orders before the thread's next event.
///        All these edges join H to it but those of locks: an acquire joins the C of the releases. So they
///        do in CausalClocks.
/// A lock remembers its last four exclusive sections: the thread, its local times inside, and H at the end.
/// Of older ones the threads remember which locks they held at which local time.
///
/// The cell of a variable has a slot for its last write and slots for up to three reads of different threads
/// since; a slot knows the access, and whether the trace has it (it is told). It has two marks: since the
/// last write there were reads, or writes, that are in no slot; the trace has them.
///
/// A plain access of t
///   - is dropped if t has a slot of the same kind and local time, or of a write, for a read; a write only if
///     no other thread has read since;
///   - clashes with the write slot and, if it writes, with the read slots of other threads. Those that C_t
///     does not cover are told, if they are not, as retroactive accesses. If there are some, or a mark that
///     it clashes with, the access is kept; else it is dropped. A read is dropped, too, if t has a read slot:
///     what it clashes with was there when that was made. A kept one adds to C_t the H of each section,
///     of a lock that t holds exclusively, in which one of those was; of an older section, its thread's time
///     of that access;
///   - if it reads, takes the place of t's read slot and of those that C_t covers. The oldest of four reads
///     is told and becomes a mark; but if threads have come back to the variable after other readers several
///     times since the last write, there is room for the reads of all of them, and none is replaced by
///     another thread's;
///   - if it writes, takes the place of all slots and marks, but for a read of t at the same local time.
///
/// Two slots more are for atomic accesses, which clash with plain ones in the same way, and two marks for
/// atomic reads and writes that are in no slot. An atomic access of t
///   - is certain to be kept if t holds a lock, or if it releases, or t has done a release fence and it
///     writes, unless it hides (below). Then all slots are told, and those of atomic accesses become a mark
///     of a write;
///   - so it is if it clashes with plain accesses that C_t does not cover, or with a mark of plain ones;
///   - else it leaves its own slot, in the place of those of atomic accesses that C_t covers. (At one local
///     time one such read, or write, of t is enough.) The older of three is told and becomes a mark;
///   - is dropped then if C_t covers all that the variable's releases handed on or, of a store, if there was
///     none: it orders nothing. A dropped one is no step of local time.
/// As long as no atomic access was told, those of other threads that it would clash with if both were plain,
/// and that C_t does not cover, are told; if all are already, it is kept. So cp and wcp learn that there are
/// unordered ones. A plain write of what has slots or marks of atomic accesses is kept.
///
/// Synchronization of atomic accesses may stay untold, because H hands it on. t hides it if it holds no lock;
/// if it writes, t must have done no release fence, and not be partial: H_t is all that happens before. t is
/// partial after barriers, waits and notifies, acquire fences, an exclusive acquire of a lock that readers
/// have released, and as soon as it learns of a partial thread's doings by fork, join, a lock or an atomic
/// variable. So a variable knows whether the trace has all of its releases, some, or none, and whether one
/// was of a partial thread.
///   - A store that hides makes all of the variable's releases untold; if the trace had some, it is kept.
///     Loads and read-modify-writes hide only if the trace has none of them, and no partial thread's. If such
///     a write is kept, for whatever reason, it is a relaxed one in the trace. If it is dropped, it is a step
///     of local time all the same.
///   - Who acquires a variable with untold releases remembers what C_t did not cover, its own doings too,
///     before the access comes to its cell if it hides. A relaxed access remembers it apart.
///   - Before an event of t the trace has, for what t remembers, an After each, and t forgets it; before an
///     acquire fence for what it remembers apart, with relaxed order. Before an event of t, a late access of
///     t and an After about t it has an Elapse if the local time of t, then and there, is more than its
///     events say. When t is joined, all this is told, too.
///
/// A free tells the slots that clash with a write and are not certain; memory that is allocated or freed is
/// new.
///
/// What analyses find then: hb blames, for every variable, the same event first as in the whole trace, and of
/// later events some of those it blames there: who is ordered after a write that raced need not be ordered
/// after what it raced with, and the cell has forgotten that. cp and wcp find the first race of the trace,
/// and promise no other.
Filtered owner_filter(const SmallTrace& trace);

/// A plain access is dropped if the same thread did the same at the same local time, and no access by
/// another thread, and no atomic one, came in between.
Filtered segment_filter(const SmallTrace& trace);

}  // namespace ravel
