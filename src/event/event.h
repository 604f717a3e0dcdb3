// The vocabulary: what can happen in a run. Every trace format, the runtime and every analysis speak it.
//
// To add a kind: one line in RAVEL_EVENT_KINDS; the compiler then names every switch that must decide about
// it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "event/check.h"
#include "event/ids.h"

namespace ravel {

// What the target of an event is. Names of different spaces never clash; Lock, Condition and Barrier are
// separate spaces for names but share LockId once resolved.
//   Variable   an address, with the width of the access
//   Lock, Condition, Barrier   the address of the object
//   Thread     the other thread's ThreadId
//   Unit       UnitId of the label or function
//   Range      first address, with the width of the block
//   None       nothing
enum class TargetSpace : std::uint8_t { Variable, Lock, Condition, Barrier, Thread, Unit, Range, None };

// X(name, Tiddle mnemonic, target space, meaning)
#define RAVEL_EVENT_KINDS(X)                                                                                 \
  X(Read, "rd", Variable, "plain read")                                                                      \
  X(Write, "wr", Variable, "plain write")                                                                    \
  X(AtomicLoad, "ld", Variable, "atomic load; a failed compare-exchange is one too")                         \
  X(AtomicStore, "st", Variable, "atomic store")                                                             \
  X(AtomicRmw, "rmw", Variable, "atomic read-modify-write; the value is the one written")                    \
  X(Fence, "fence", None, "memory fence")                                                                    \
  X(Acquire, "acq", Lock, "exclusive acquire, at the time it succeeded")                                     \
  X(Release, "rel", Lock, "exclusive release")                                                               \
  X(AcquireShared, "racq", Lock, "shared (reader) acquire")                                                  \
  X(ReleaseShared, "rrel", Lock, "shared (reader) release")                                                  \
  X(Request, "req", Lock, "a thread is about to acquire and may block")                                      \
  X(WaitBegin, "wait", Condition, "begins to wait; the lock's release and acquire are events of their own")  \
  X(WaitEnd, "wake", Condition, "a wait is over")                                                            \
  X(Notify, "notify", Condition, "wakes one waiter")                                                         \
  X(NotifyAll, "notifyall", Condition, "wakes all waiters")                                                  \
  X(Fork, "fork", Thread, "starts the target thread")                                                        \
  X(Join, "join", Thread, "has waited for the target thread's end")                                          \
  X(BarrierEnter, "arrive", Barrier, "arrives at a barrier")                                                 \
  X(BarrierExit, "leave", Barrier, "leaves a barrier")                                                       \
  X(UnitBegin, "beg", Unit, "a unit of work (atomic block) begins")                                          \
  X(UnitEnd, "end", Unit, "a unit of work ends")                                                             \
  X(Call, "call", Unit, "a function is entered")                                                             \
  X(Return, "ret", Unit, "a function is left")                                                               \
  X(Alloc, "alloc", Range, "memory is given to the program")                                                 \
  X(Free, "free", Range, "memory is taken back: addresses mean new variables and locks from here on")        \
  X(ObjectBegin, "objbeg", Range, "an object's lifetime begins; the value is the UnitId of its class")       \
  X(ObjectEnd, "objend", Range, "an object's lifetime ends")                                                 \
  X(RetroRead, "rrd", Variable,                                                                              \
    "a read reported late: at the local time given as value; atomic with an order")                          \
  X(RetroWrite, "rwr", Variable,                                                                             \
    "a write reported late: at the local time given as value; atomic with an order")                         \
  X(ThreadStart, "start", None, "first event of a thread")                                                   \
  X(ThreadExit, "exit", None, "last event of a thread")                                                      \
  X(Block, "block", Range, "tells where memory that is in use was allocated: the place is that of the call") \
  X(Elapse, "elapse", None, "local time goes on by `value` steps that are no events of the trace")           \
  X(After, "after", Thread,                                                                                  \
    "all that the target thread did up to its local time `value` comes before what follows; with relaxed "   \
    "order, before what follows the next acquire fence")                                                     \
  X(Split, "", Variable,                                                                                     \
    "made by the resolver only: the new variable `target` was part of variable `value`")                     \
  X(Retire, "", Variable, "made by the resolver only: the variable is gone, its id may be used again")

enum class EventKind : std::uint8_t {
#define X(name, ...) name,
  RAVEL_EVENT_KINDS(X)
#undef X
};

inline constexpr std::array kEventKinds = {
#define X(name, ...) EventKind::name,
    RAVEL_EVENT_KINDS(X)
#undef X
};
inline constexpr int kEventKindCount = static_cast<int>(kEventKinds.size());

inline constexpr std::array kTargetSpaces = {
#define X(name, mnemonic, space, meaning) TargetSpace::space,
    RAVEL_EVENT_KINDS(X)
#undef X
};
constexpr TargetSpace target_space(EventKind kind) { return kTargetSpaces[static_cast<std::size_t>(kind)]; }

std::string_view kind_name(EventKind kind);       ///< "Read"
std::string_view mnemonic(EventKind kind);        ///< "rd"; empty for the resolver's own kinds
std::string_view operation_text(EventKind kind);  ///< "read", "atomic store": for people

/// A set of event kinds.
struct KindMask {
  std::uint64_t bits = 0;

  template <typename... Kinds>
  static constexpr KindMask of(Kinds... kinds) {
    return KindMask{(std::uint64_t{0} | ... | (std::uint64_t{1} << static_cast<int>(kinds)))};
  }
  static constexpr KindMask all() { return KindMask{~std::uint64_t{0}}; }
  constexpr bool has(EventKind kind) const { return (bits >> static_cast<int>(kind)) & 1; }
  friend constexpr KindMask operator|(KindMask a, KindMask b) { return KindMask{a.bits | b.bits}; }
};
static_assert(kEventKindCount <= 64, "KindMask holds one bit per kind");

inline constexpr KindMask kPlainAccesses = KindMask::of(EventKind::Read, EventKind::Write);
inline constexpr KindMask kAtomicAccesses =
    KindMask::of(EventKind::AtomicLoad, EventKind::AtomicStore, EventKind::AtomicRmw);
inline constexpr KindMask kRetroAccesses = KindMask::of(EventKind::RetroRead, EventKind::RetroWrite);
inline constexpr KindMask kAccesses = kPlainAccesses | kAtomicAccesses | kRetroAccesses;
inline constexpr KindMask kWrites =
    KindMask::of(EventKind::Write, EventKind::AtomicStore, EventKind::AtomicRmw, EventKind::RetroWrite);
/// The steps of a thread's local time: it starts at 1 and grows by one after each of the thread's events of
/// these kinds, and by as much as an Elapse says. Recorders count it for retroactive accesses, and analyses
/// must come to the same number; so a re-entrant acquire and its release, which no analysis sees
/// (well_formed.h), are no steps. Neither are atomic loads: nobody can be ordered after one and not after
/// what the thread did before.
inline constexpr KindMask kTimeSteps =
    KindMask::of(EventKind::Acquire, EventKind::Release, EventKind::AcquireShared, EventKind::ReleaseShared,
                 EventKind::Fork, EventKind::Join, EventKind::BarrierEnter, EventKind::BarrierExit,
                 EventKind::Fence, EventKind::AtomicStore, EventKind::AtomicRmw);
/// What a recorder says of the order in place of the synchronization that it comes from.
inline constexpr KindMask kToldOrder = KindMask::of(EventKind::Elapse, EventKind::After);
inline constexpr KindMask kVariableLifetime = KindMask::of(EventKind::Split, EventKind::Retire);

constexpr bool is_access(EventKind kind) { return kAccesses.has(kind); }
constexpr bool is_write(EventKind kind) { return kWrites.has(kind); }
constexpr bool is_atomic(EventKind kind) { return kAtomicAccesses.has(kind); }
constexpr bool is_acquire(EventKind kind) {
  return kind == EventKind::Acquire || kind == EventKind::AcquireShared;
}

enum class MemoryOrder : std::uint8_t { None, Relaxed, Consume, Acquire, Release, AcqRel, SeqCst };

std::string_view order_name(MemoryOrder order);  ///< "acq_rel"; empty for None
constexpr bool acquires(MemoryOrder order) {
  return order == MemoryOrder::Consume || order == MemoryOrder::Acquire || order >= MemoryOrder::AcqRel;
}
constexpr bool releases(MemoryOrder order) { return order >= MemoryOrder::Release; }
/// What an acquire has in place of a memory order if the lock was only tried, or asked for with a time limit.
inline constexpr MemoryOrder kTried = MemoryOrder::Relaxed;

/// One event of a run.
///
/// A reader fills `target` with an address (or ThreadId / UnitId, by target_space). The resolver at the head
/// of the analysis chain replaces an address by a dense id in the low half of `target` and puts the locks the
/// thread holds (after this event) into the high half; analyses use the typed accessors only.
struct Event {
  EventKind kind = EventKind::Read;
  MemoryOrder order = MemoryOrder::None;
  bool has_value = false;
  std::uint8_t reserved = 0;
  ThreadId thread;
  std::uint64_t target = 0;
  std::uint64_t value = 0;     ///< of a read: what it saw; of a write: what it wrote (if has_value)
  std::uint64_t position = 0;  ///< 1-based position in the trace
  PlaceId place;
  std::uint32_t width = 0;    ///< bytes accessed, or size of the block
  std::uint32_t ordinal = 0;  ///< hooks of the thread since its last synchronization; 0: unknown
  StackId stack;              ///< the calls it was in; invalid: unknown

  friend bool operator==(const Event&, const Event&) = default;

  /// Of an acquire: the thread would have waited for the lock, as long as it takes.
  bool would_wait() const { return order != kTried; }
  /// Reported late, and atomic.
  bool is_late_atomic() const { return kRetroAccesses.has(kind) && order != MemoryOrder::None; }

  // Before the resolver.
  std::uint64_t address() const { return target; }
  // Before and after it.
  ThreadId other_thread() const { return ThreadId(static_cast<std::uint32_t>(target)); }
  UnitId unit() const { return UnitId(static_cast<std::uint32_t>(target)); }
  // After it.
  VariableId variable() const { return VariableId(static_cast<std::uint32_t>(target)); }
  LockId lock() const { return LockId(static_cast<std::uint32_t>(target)); }
  LocksetId held() const { return LocksetId(static_cast<std::uint32_t>(target >> 32)); }
  VariableId split_from() const { return VariableId(static_cast<std::uint32_t>(value)); }
  /// Of a Retire: the kind of the event that ended the variable's life.
  EventKind ended_by() const { return static_cast<EventKind>(value); }
  void resolve(std::uint32_t id, LocksetId held) { target = (std::uint64_t{held.value} << 32) | id; }
};
static_assert(sizeof(Event) == 48, "events are copied by the million");

/// Addresses for names of traces that have no addresses: 16 apart, above any address a process can have, one
/// region a name space.
constexpr std::uint64_t synthetic_address(TargetSpace space, std::uint32_t index) {
  return (std::uint64_t{0x80} + static_cast<std::uint64_t>(space)) << 56 | std::uint64_t{index} << 4;
}
constexpr bool is_synthetic(std::uint64_t address) { return (address >> 63) != 0; }
constexpr std::uint32_t synthetic_index(std::uint64_t address) {
  return static_cast<std::uint32_t>((address & 0x00ff'ffff'ffff'ffffULL) >> 4);
}
/// Width of an access to a named variable in such a trace.
inline constexpr std::uint32_t kSyntheticWidth = 8;

}  // namespace ravel
