// The compilers' calls for atomic operations and fences.
//
// The order of the records of operations on one variable must be the order of the operations, or a reference
// count's last decrement could seem to be its first: so each runs, with its record, under the variable's lock
// (order.h). The program's own memory order is kept: what is recorded is what was asked for, and a store that
// need not be sequentially consistent is none.
//
// At the filter level `owner` an operation that synchronizes with nothing that the thread does not know, and
// that leaves nothing for others to synchronize with, is only remembered in its cell, as plain accesses are.
// So is one that does, if who comes after it can tell so (order.h). Inside of a lock they are recorded
// nevertheless: analyses order sections by the atomic variables that they share, too.
#include <cstdint>

#include "runtime/access.h"
#include "runtime/cell.h"
#include "runtime/order.h"
#include "runtime/signal.h"
#include "runtime/token.h"

namespace ravel::rt {
namespace {

__extension__ using a128 = __int128;
using a8 = std::uint8_t;
using a16 = std::uint16_t;
using a32 = std::uint32_t;
using a64 = std::uint64_t;

MemoryOrder order_of(int order) {
  switch (order & 0xff) {
    case __ATOMIC_RELAXED:
      return MemoryOrder::Relaxed;
    case __ATOMIC_CONSUME:
      return MemoryOrder::Consume;
    case __ATOMIC_ACQUIRE:
      return MemoryOrder::Acquire;
    case __ATOMIC_RELEASE:
      return MemoryOrder::Release;
    case __ATOMIC_ACQ_REL:
      return MemoryOrder::AcqRel;
    default:
      return MemoryOrder::SeqCst;
  }
}

// Sixteen bytes: the compiler's builtins would call libatomic, which the program need not have.
a128 exchange_if(volatile a128* p, a128 expected, a128 desired) {
  return __sync_val_compare_and_swap(p, expected, desired);
}
a128 load(const volatile a128* p) { return exchange_if(const_cast<volatile a128*>(p), 0, 0); }
template <typename Change>
a128 change(volatile a128* p, Change next) {
  a128 old = load(p);
  while (true) {
    const a128 seen = exchange_if(p, old, next(old));
    if (seen == old) return old;
    old = seen;
  }
}

template <typename T>
RAVEL_INLINE T do_load(const volatile T* p, int order) {
  if constexpr (sizeof(T) == 16)
    return load(p);
  else
    return order == __ATOMIC_RELAXED ? __atomic_load_n(p, __ATOMIC_RELAXED)
                                     : __atomic_load_n(p, __ATOMIC_SEQ_CST);
}
template <typename T>
RAVEL_INLINE void do_store(volatile T* p, T value, int order) {
  if constexpr (sizeof(T) == 16)
    change(p, [value](a128) { return value; });
  else if (order == __ATOMIC_SEQ_CST)
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);
  else
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}

#define RAVEL_RMW(name, builtin, expression)                        \
  struct name {                                                     \
    template <typename T>                                           \
    static RAVEL_INLINE T run(volatile T* p, T value) {             \
      if constexpr (sizeof(T) == 16)                                \
        return change(p, [value](a128 old) { return expression; }); \
      else                                                          \
        return builtin(p, value, __ATOMIC_SEQ_CST);                 \
    }                                                               \
  };
RAVEL_RMW(Exchange, __atomic_exchange_n, (static_cast<void>(old), value))
RAVEL_RMW(Add, __atomic_fetch_add, old + value)
RAVEL_RMW(Sub, __atomic_fetch_sub, old - value)
RAVEL_RMW(And, __atomic_fetch_and, old& value)
RAVEL_RMW(Or, __atomic_fetch_or, old | value)
RAVEL_RMW(Xor, __atomic_fetch_xor, old ^ value)
RAVEL_RMW(Nand, __atomic_fetch_nand, ~(old& value))
#undef RAVEL_RMW

/// True if it was done; else `expected` is what was there.
template <typename T>
RAVEL_INLINE bool do_compare_exchange(volatile T* p, T& expected, T desired) {
  if constexpr (sizeof(T) == 16) {
    const a128 seen = exchange_if(p, expected, desired);
    const bool done = seen == expected;
    if (!done) expected = seen;
    return done;
  } else {
    return __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
}

/// The current thread, also if its accesses are not recorded; null: it is not seen at all.
RAVEL_INLINE Thread* synchronizing_thread() {
  Thread* const self = hot_thread;
  if (self != nullptr || sees_accesses) return self;
  return this_thread != nullptr && this_thread->quiet == 0 ? this_thread : nullptr;
}

/// A point where others may go first.
RAVEL_INLINE void reach_atomic(std::uintptr_t address, Pc pc) {
  if (controlled) [[unlikely]]
    reach({.kind = OperationKind::Atomic, .object = reinterpret_cast<const void*>(address), .pc = pc});
}

/// What a thread may wait for has happened, if the value is another one.
template <typename T>
RAVEL_INLINE void note_change(T before, T after) {
  if (controlled && before != after) [[unlikely]]
    note_progress();
}

/// Holds a variable's lock, in which signals must wait.
class Atomically {
 public:
  Atomically(Thread& self, std::uintptr_t address) : inside_(self), turns_(turns_of(address)) {
    turns_.lock.lock();
  }
  ~Atomically() {
    if (changes_) turns_.end_change();
    turns_.lock.unlock();
  }
  Atomically(const Atomically&) = delete;
  Atomically& operator=(const Atomically&) = delete;

  /// Before the variable has its new value: it may synchronize with others, or not any more.
  void change() {
    turns_.begin_change();
    changes_ = true;
  }
  std::uint32_t version() const { return turns_.now(); }

 private:
  Inside inside_;
  AtomicTurns& turns_;
  bool changes_ = false;
};

/// Whether the thread's atomic operations may stay unrecorded. In a controlled run they are steps of local
/// time, by which schedules name what threads do.
RAVEL_INLINE bool may_hide(const Thread& self, std::uintptr_t address, std::size_t bytes) {
  return !controlled && (address & 7) + bytes <= 8 && recorder.filter == FilterLevel::Owner &&
         sees_accesses && self.incarnation != 0 && self.order.sections == 0;
}

RAVEL_INLINE RecentAtomic& recent(Thread& self, std::uintptr_t address, std::size_t width) {
  RecentAtomic& found =
      self.atomics[(address >> 3) * 0x9e37'79b9'7f4a'7c15ULL >> 58 & (Thread::kRecentAtomics - 1)];
  if (found.address != address || found.width != width) {
    found = {};
    found.address = address;
    found.width = width;
  }
  return found;
}

/// Nothing that others could be ordered by has happened since the variable's cell was told.
RAVEL_INLINE bool is_now(const Thread& self, const RecentAtomic& last) {
  return last.tag == self.tag && last.blocks == self.blocks;
}

/// Puts an operation into its cells. True: it has to be recorded. At one local time once is enough: nobody
/// can be ordered after that and not after what the thread does now.
template <unsigned kKind>
RAVEL_INLINE bool enter_atomic(Thread& self, std::uintptr_t address, std::size_t bytes, bool hidden, Pc pc) {
  RecentAtomic& last = recent(self, address, bytes);
  if (hidden && is_now(self, last) && last.kind >= kKind) return false;
  last.tag = self.tag;
  last.blocks = self.blocks;
  last.kind = kKind;
  if (!hidden) return enter_atomic_range(self, address, bytes, kKind, pc, true) == Outcome::Record;
  const Inside inside(self);
  settle(self);
  return enter_cell_atomically(self, address & ~std::uintptr_t{7},
                               bytes_code(address & 7, static_cast<unsigned>(bytes)), kKind, code_of(pc),
                               false) == Outcome::Record;
}

template <typename T>
SyncEvent atomic_event(EventKind kind, int order, std::uintptr_t address, T value, Pc pc) {
  return {.kind = kind,
          .order = order_of(order),
          .target = address,
          .width = sizeof(T),
          .pc = pc,
          .value = static_cast<std::uint64_t>(value),
          .has_value = sizeof(T) <= sizeof(std::uint64_t),
          .alone = true};
}
template <typename T>
void record_atomic(Thread& self, EventKind kind, int order, std::uintptr_t address, T value, Pc pc) {
  record_sync(self, atomic_event(kind, order, address, value, pc));
}

/// The variable is known to have been loaded in this version.
void note_load(Thread& self, std::uint32_t version, std::uintptr_t address, std::size_t width, int order) {
  RecentAtomic& last = recent(self, address, width);
  last.version = version;
  last.acquired = acquires(order_of(order));
  last.is_known = true;
}

/// A store or a read-modify-write that was done, or a compare-exchange that has failed, whose thread and
/// variable may hide it: it is recorded only if its cell needs it.
template <typename T>
void synchronize_silently(Thread& self, EventKind kind, int order, std::uintptr_t address, T value, Pc pc,
                          bool told) {
  SyncEvent event = atomic_event(kind, order, address, value, pc);
  event.hides = true;
  order_before(self, event);
  const bool writes = kind != EventKind::AtomicLoad;
  const bool recorded = writes ? enter_atomic<kWriteWord>(self, address, sizeof(T), true, pc)
                               : enter_atomic<kReadWord>(self, address, sizeof(T), true, pc);
  if (recorded || told)
    record_sync(self, event);
  else if (writes)
    pass_sync(self, event);
}

/// A thread that spins reads the same values again and again: this one has not changed since the thread has
/// recorded this very load, at this local time.
RAVEL_INLINE bool repeats(Thread& self, std::uintptr_t address, std::size_t width, int order) {
  if (recorder.filter != FilterLevel::Segment) return false;
  const RecentAtomic& last = recent(self, address, width);
  return last.is_known && is_now(self, last) && last.acquired == acquires(order_of(order)) &&
         last.version == turns_of(address).now() && self.incarnation != 0;
}

/// The thread has loaded a value, and knows all that an acquire of it would order; or it has recorded such a
/// load since the variable is what it is.
RAVEL_INLINE bool knows_at_a_glance(Thread& self, std::uintptr_t address, std::uint32_t width, int order) {
  const std::uint32_t version = turns_of(address).now();
  if (version == 0) return true;
  RecentAtomic& last = recent(self, address, width);
  if (last.is_known && last.version == version && (last.acquired || !acquires(order_of(order)))) return true;
  if (version % 2 != 0 || !knows_releases(self, address, width) || turns_of(address).now() != version)
    return false;
  last.version = version;
  last.acquired = last.is_known = true;
  return true;
}

template <typename T>
RAVEL_INLINE T atomic_load(const volatile T* p, int order, Pc pc) {
  Thread* const self = synchronizing_thread();
  if (self == nullptr) return do_load(p, order);
  ++self->ordinal;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  reach_atomic(address, pc);
  if (repeats(*self, address, sizeof(T), order)) {
    const T value = do_load(p, order);
    if (repeats(*self, address, sizeof(T), order)) return value;
  }
  bool known = false;
  if (may_hide(*self, address, sizeof(T))) {
    const Inside inside(*self);
    T value{};
    constexpr int kTries = 8;
    for (int i = 0; i < kTries && !known; ++i) {
      const std::uint32_t version = turns_of(address).now();
      value = do_load(p, order);
      known = knows_at_a_glance(*self, address, sizeof(T), order);
      if (known) break;
      if (version % 2 == 0 && load_silently(*self, address, sizeof(T), order_of(order), version)) {
        note_load(*self, version, address, sizeof(T), order);
        known = true;
      } else if (version % 2 == 0 && version == turns_of(address).now()) {
        break;  // it needs a record
      } else {
        pause_or_yield(i);
      }
    }
    if (known && !enter_atomic<kReadWord>(*self, address, sizeof(T), true, pc)) return value;
  }
  if (!known) enter_atomic<kReadWord>(*self, address, sizeof(T), false, pc);
  Atomically hold(*self, address);
  const T value = do_load(p, order);
  record_atomic(*self, EventKind::AtomicLoad, order, address, value, pc);
  note_load(*self, hold.version(), address, sizeof(T), order);
  return value;
}

template <typename T>
RAVEL_INLINE void atomic_store(volatile T* p, T value, int order, Pc pc) {
  Thread* const self = synchronizing_thread();
  if (self == nullptr) return do_store(p, value, order);
  ++self->ordinal;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  reach_atomic(address, pc);
  const bool may_be_hidden = may_hide(*self, address, sizeof(T));
  if (may_be_hidden && releases(order_of(order)) && self->order.may_hide()) {
    Atomically hold(*self, address);
    const Hiding hiding = hiding_of(address, sizeof(T), EventKind::AtomicStore);
    if (hiding != Hiding::No) {
      hold.change();
      synchronize_silently(*self, EventKind::AtomicStore, order, address, value, pc, hiding == Hiding::Told);
      return do_store(p, value, order);
    }
  }
  const bool hidden = may_be_hidden && !releases(order_of(order)) && !self->order.fenced;
  const bool recorded = enter_atomic<kWriteWord>(*self, address, sizeof(T), hidden, pc);
  Atomically hold(*self, address);
  if (recorded || has_releases(address, sizeof(T))) {
    hold.change();
    record_atomic(*self, EventKind::AtomicStore, order, address, value, pc);
  }
  if (controlled) note_change(do_load(p, __ATOMIC_RELAXED), value);
  do_store(p, value, order);
}

/// A read-modify-write, or an attempt at one, that neither acquires nor releases anything. While the variable
/// has only releases that the thread knows, nobody needs to have its lock.
class Unordered {
 public:
  RAVEL_INLINE Unordered(Thread& self, std::uintptr_t address, std::uint32_t width, int order,
                         bool may_be_hidden)
      : turns_(turns_of(address)), version_(turns_.now()) {
    is_ = may_be_hidden && !self.order.fenced && order_of(order) == MemoryOrder::Relaxed &&
          version_ % 2 == 0 && knows_at_a_glance(self, address, width, order);
  }
  explicit operator bool() const { return is_; }
  /// Nothing was released meanwhile; else the operation is recorded.
  RAVEL_INLINE bool still() const { return is_ && turns_.now() == version_; }

 private:
  AtomicTurns& turns_;
  std::uint32_t version_;
  bool is_;
};

/// A read-modify-write, or an attempt at one, under the variable's lock: whether it is recorded.
bool is_recorded(const Thread& self, Atomically& hold, std::uintptr_t address, std::uint32_t width,
                 bool recorded, int order) {
  recorded = recorded || !knows_releases(self, address, width);
  const bool changes =
      recorder.filter != FilterLevel::Owner || releases(order_of(order)) || self.order.fenced;
  if (recorded && changes) hold.change();
  return recorded;
}

template <typename Rmw, typename T>
RAVEL_INLINE T atomic_rmw(volatile T* p, T value, int order, Pc pc) {
  Thread* const self = synchronizing_thread();
  if (self == nullptr) return Rmw::run(p, value);
  ++self->ordinal;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  reach_atomic(address, pc);
  const bool may_be_hidden = may_hide(*self, address, sizeof(T));
  if (const Unordered unordered(*self, address, sizeof(T), order, may_be_hidden); unordered) {
    const T old = Rmw::run(p, value);
    if (enter_atomic<kWriteWord>(*self, address, sizeof(T), unordered.still(), pc)) {
      const Atomically hold(*self, address);
      record_atomic(*self, EventKind::AtomicRmw, order, address, T{}, pc);
    }
    return old;
  }
  if (may_be_hidden && self->order.may_hide()) {
    Atomically hold(*self, address);
    if (hiding_of(address, sizeof(T), EventKind::AtomicRmw) == Hiding::Silent) {
      if (releases(order_of(order))) hold.change();
      const T old = Rmw::run(p, value);
      synchronize_silently(*self, EventKind::AtomicRmw, order, address, T{}, pc, false);
      return old;
    }
  }
  const bool hidden = may_be_hidden && !releases(order_of(order)) && !self->order.fenced;
  const bool entered = enter_atomic<kWriteWord>(*self, address, sizeof(T), hidden, pc);
  Atomically hold(*self, address);
  const bool recorded = is_recorded(*self, hold, address, sizeof(T), entered, order);
  const T old = Rmw::run(p, value);
  if (!recorded && !controlled) return old;
  const T now = do_load(p, __ATOMIC_RELAXED);
  note_change(old, now);
  if (recorded) record_atomic(*self, EventKind::AtomicRmw, order, address, now, pc);
  return old;
}

template <typename T>
RAVEL_INLINE bool atomic_compare_exchange(volatile T* p, T& expected, T desired, int order, int failure_order,
                                          Pc pc) {
  Thread* const self = synchronizing_thread();
  if (self == nullptr) return do_compare_exchange(p, expected, desired);
  ++self->ordinal;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  reach_atomic(address, pc);
  const bool may_be_hidden = may_hide(*self, address, sizeof(T));
  if (const Unordered unordered(*self, address, sizeof(T), order, may_be_hidden && failure_order == order);
      unordered) {
    const bool done = do_compare_exchange(p, expected, desired);
    const bool hidden = unordered.still();
    if (done ? enter_atomic<kWriteWord>(*self, address, sizeof(T), hidden, pc)
             : enter_atomic<kReadWord>(*self, address, sizeof(T), hidden, pc)) {
      const Atomically hold(*self, address);
      record_atomic(*self, done ? EventKind::AtomicRmw : EventKind::AtomicLoad, order, address, T{}, pc);
    }
    return done;
  }
  const bool hidden = may_be_hidden && !releases(order_of(order)) && !self->order.fenced;
  Atomically hold(*self, address);
  if (may_be_hidden && self->order.may_hide() &&
      hiding_of(address, sizeof(T), EventKind::AtomicRmw) == Hiding::Silent) {
    if (releases(order_of(order))) hold.change();
    const bool done = do_compare_exchange(p, expected, desired);
    synchronize_silently(*self, done ? EventKind::AtomicRmw : EventKind::AtomicLoad,
                         done ? order : failure_order, address, T{}, pc, false);
    return done;
  }
  bool recorded = is_recorded(*self, hold, address, sizeof(T), !hidden, order);
  const bool done = do_compare_exchange(p, expected, desired);
  if (done) note_change(expected, desired);
  // What it is to its cell only its success decides.
  recorded |= done ? enter_atomic<kWriteWord>(*self, address, sizeof(T), !recorded, pc)
                   : enter_atomic<kReadWord>(*self, address, sizeof(T), !recorded, pc);
  if (recorded)
    record_atomic(*self, done ? EventKind::AtomicRmw : EventKind::AtomicLoad, done ? order : failure_order,
                  address, done ? desired : expected, pc);
  return done;
}

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

#define PC reinterpret_cast<Pc>(__builtin_return_address(0))

#define RAVEL_ATOMIC_RMW(bits, name, rmw)                                                               \
  RAVEL_INTERFACE a##bits __tsan_atomic##bits##_##name(volatile a##bits* p, a##bits value, int order) { \
    return atomic_rmw<rmw>(p, value, order, PC);                                                        \
  }
#define RAVEL_ATOMIC(bits)                                                                                   \
  RAVEL_INTERFACE a##bits __tsan_atomic##bits##_load(const volatile a##bits* p, int order) {                 \
    return atomic_load(p, order, PC);                                                                        \
  }                                                                                                          \
  RAVEL_INTERFACE void __tsan_atomic##bits##_store(volatile a##bits* p, a##bits value, int order) {          \
    atomic_store(p, value, order, PC);                                                                       \
  }                                                                                                          \
  RAVEL_ATOMIC_RMW(bits, exchange, Exchange)                                                                 \
  RAVEL_ATOMIC_RMW(bits, fetch_add, Add)                                                                     \
  RAVEL_ATOMIC_RMW(bits, fetch_sub, Sub)                                                                     \
  RAVEL_ATOMIC_RMW(bits, fetch_and, And)                                                                     \
  RAVEL_ATOMIC_RMW(bits, fetch_or, Or)                                                                       \
  RAVEL_ATOMIC_RMW(bits, fetch_xor, Xor)                                                                     \
  RAVEL_ATOMIC_RMW(bits, fetch_nand, Nand)                                                                   \
  RAVEL_INTERFACE int __tsan_atomic##bits##_compare_exchange_strong(                                         \
      volatile a##bits* p, a##bits* expected, a##bits desired, int order, int failure) {                     \
    return atomic_compare_exchange(p, *expected, desired, order, failure, PC);                               \
  }                                                                                                          \
  RAVEL_INTERFACE int __tsan_atomic##bits##_compare_exchange_weak(volatile a##bits* p, a##bits* expected,    \
                                                                  a##bits desired, int order, int failure) { \
    return atomic_compare_exchange(p, *expected, desired, order, failure, PC);                               \
  }                                                                                                          \
  RAVEL_INTERFACE a##bits __tsan_atomic##bits##_compare_exchange_val(                                        \
      volatile a##bits* p, a##bits expected, a##bits desired, int order, int failure) {                      \
    atomic_compare_exchange(p, expected, desired, order, failure, PC);                                       \
    return expected;                                                                                         \
  }
RAVEL_ATOMIC(8)
RAVEL_ATOMIC(16)
RAVEL_ATOMIC(32)
RAVEL_ATOMIC(64)
RAVEL_ATOMIC(128)

RAVEL_INTERFACE void __tsan_atomic_thread_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  Thread* const self = synchronizing_thread();
  if (self == nullptr) return;
  ++self->ordinal;
  if (controlled) reach({.kind = OperationKind::Atomic, .pc = PC});
  record_sync(*self, {.kind = ravel::EventKind::Fence, .order = order_of(order), .pc = PC});
}
/// Orders a thread with its own signal handlers only.
RAVEL_INTERFACE void __tsan_atomic_signal_fence(int /*order*/) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
