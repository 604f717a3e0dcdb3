#include "runtime/order.h"

#include <algorithm>

#include "runtime/held_log.h"
#include "runtime/recorder.h"
#include "runtime/sync_objects.h"
#include "runtime/thread.h"

namespace ravel::rt {

namespace {

/// There is or was no memory for something: nobody can say any more what is known.
constinit bool is_incomplete = false;

/// Has the lock of an atomic variable, unless the caller has it, who then says, too, that it changes.
class Using {
 public:
  Using(std::uintptr_t address, bool alone, bool changes)
      : turns_(alone ? nullptr : &turns_of(address)), changes_(changes) {
    if (turns_ == nullptr) return;
    turns_->lock.lock();
    if (changes_) turns_->begin_change();
  }
  ~Using() {
    if (turns_ == nullptr) return;
    if (changes_) turns_->end_change();
    turns_->lock.unlock();
  }
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;

 private:
  AtomicTurns* turns_;
  bool changes_;
};

/// A thread that has ended and was not joined.
struct Ended {
  std::uint32_t clock;
  bool is_partial;
  std::uint32_t count;  ///< entries of H
  ClockTime H[1];
};

/// Whose an entry is from a time on.
struct Owner {
  std::uint32_t thread;
  ClockTime base;         ///< the last time of the owner before
  const Owner* previous;  ///< null: none
};

/// Which entries of clocks are whose.
struct Entries {
  SpinLock giving;
  std::uint32_t count = 0;  ///< that are or were in use
  std::uint32_t free[kMaxClocks] = {};
  ClockTime free_since[kMaxClocks] = {};  ///< the last time of their last owners
  const Owner* owners[kMaxClocks] = {};   ///< the last ones
  std::uint32_t free_count = 0;
};
constinit Entries given;
constinit Ended** ended_threads = nullptr;  ///< by slot; null: no order is kept

bool is_kept() { return recorder.filter == FilterLevel::Owner && ended_threads != nullptr; }

SyncLock* known_lock_at(Thread& self, std::uintptr_t address) {
  ThreadOrder::Known& known = self.order.known[(address >> 3) % ThreadOrder::kKnown];
  if (known.address == address) return known.lock;
  SyncLock* const lock = lock_at(address);
  if (lock != nullptr) known = {address, lock};
  return lock;
}

void join(ClockTime* to, const ClockTime* from, std::uint32_t entries) {
  for (std::uint32_t i = 0; i < entries; ++i)
    if (from[i] > to[i]) to[i] = from[i];
}

void copy(ClockTime* to, const ClockTime* from, std::uint32_t entries) {
  for (std::uint32_t i = 0; i < entries; ++i) to[i] = from[i];
}

std::uint32_t entries() { return __atomic_load_n(&given.count, __ATOMIC_ACQUIRE); }

/// A variable's clock, as far as there are threads.
AtomicVariable::Clock clock_of(AtomicVariable& variable) {
  const AtomicVariable::Clock clock = variable.clock();
  return {clock.times, std::min(clock.room, entries())};
}

/// All that a variable's clock says from now on. Those who look at it have it in their caches: what stays as
/// it is is not stored.
void replace(AtomicVariable& variable, const ClockTime* from, std::uint32_t entries) {
  const AtomicVariable::Clock clock = clock_of(variable);
  for (std::uint32_t i = 0; i < clock.room; ++i) {
    const ClockTime time = i < entries ? from[i] : 0;
    if (clock.times[i] != time) __atomic_store_n(&clock.times[i], time, __ATOMIC_RELAXED);
  }
}

/// An edge of a kind that is certain, from all that `H` covers.
void certain_edge(Thread& self, const ClockTime* H, std::uint32_t count) {
  join(self.order.H, H, count);
  join(self.order.C, H, count);
}

ClockTime now(const Thread& self) { return self.order.base + self.time; }

/// H with the thread's own entry.
const ClockTime* clock_now(Thread& self) {
  if (self.order.clock != kNoClock) self.order.H[self.order.clock] = now(self);
  return self.order.H;
}

ThreadOrder::Held* find_held(ThreadOrder& order, const SyncLock* lock) {
  for (std::uint32_t i = order.held_count; i-- > 0;)
    if (order.held[i].lock == lock) return &order.held[i];
  return nullptr;
}

void acquire(Thread& self, std::uintptr_t address, bool exclusive) {
  SyncLock* const lock = known_lock_at(self, address);
  ThreadOrder& order = self.order;
  if (lock == nullptr) {
    order.partial = true;
    return;
  }
  name_lock(*lock);
  if (ThreadOrder::Held* const held = exclusive ? find_held(order, lock) : nullptr; held != nullptr) {
    ++held->depth;
    return;
  }
  if (__atomic_load_n(&lock->is_partial, __ATOMIC_RELAXED) ||
      (exclusive && __atomic_load_n(&lock->is_shared, __ATOMIC_RELAXED)))
    order.partial = true;
  if (lock->clocks != nullptr) {
    join(order.H, lock->of_section(lock->latest), lock->clocks->room);
    join(order.C, lock->certain(), lock->clocks->room);
  }
  if (exclusive && order.held_count < ThreadOrder::kMaxHeld)
    order.held[order.held_count++] = {lock, now(self) + 1, 1};
}

void release(Thread& self, std::uintptr_t address) {
  SyncLock* const lock = known_lock_at(self, address);
  if (lock == nullptr) return;
  ThreadOrder& order = self.order;
  ThreadOrder::Held* const held = find_held(order, lock);
  if (held != nullptr && --held->depth > 0) return;
  const std::uint32_t count = entries();
  if (Clocks* const clocks = make_clocks(lock->clocks, 1 + SyncLock::kSections, count); clocks != nullptr) {
    lock->clocks = clocks;
    lock->latest = (lock->latest + 1) % SyncLock::kSections;
    copy(lock->of_section(lock->latest), clock_now(self), count);
    join(lock->certain(), order.C, count);
    lock->sections[lock->latest] = {held != nullptr ? order.clock : kNoClock,
                                    held != nullptr ? held->first : 0, now(self)};
    if (order.partial && !lock->is_partial) __atomic_store_n(&lock->is_partial, true, __ATOMIC_RELAXED);
  } else {
    __atomic_store_n(&lock->is_partial, true, __ATOMIC_RELAXED);
  }
  if (held == nullptr) return;
  const ThreadOrder::Held* const last = &order.held[--order.held_count];
  if (held != last) *held = *last;
}

void release_shared(Thread& self, std::uintptr_t address) {
  SyncLock* const lock = known_lock_at(self, address);
  if (lock != nullptr && !__atomic_load_n(&lock->is_shared, __ATOMIC_RELAXED))
    __atomic_store_n(&lock->is_shared, true, __ATOMIC_RELAXED);
}

/// Whether a clock says something that is not certain for the thread. Its own entry counts only if `own`.
bool has_news(const Thread& self, AtomicVariable& variable, bool own) {
  const AtomicVariable::Clock clock = clock_of(variable);
  for (std::uint32_t i = 0; i < clock.room; ++i) {
    const ClockTime time = __atomic_load_n(&clock.times[i], __ATOMIC_RELAXED);
    if (time > self.order.C[i] && (own || i != self.order.clock)) return true;
  }
  return false;
}

/// The stream lacks some of what a variable's clock says: the thread will tell. `acquiring`: not only if it
/// does an acquire fence.
void remember_untold(Thread& self, const ClockTime* times, std::uint32_t count, bool acquiring) {
  ThreadOrder& order = self.order;
  ClockTime* const remembered = acquiring ? order.untold : order.pending;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (times[i] <= order.C[i]) continue;
    remembered[i] = std::max(remembered[i], times[i]);
    if (!acquiring) continue;
    self.untold = true;
    self.accesses = self.cursor;  // what follows is no longer part of the records before
  }
}

void tell_after(Thread& self, std::uint32_t clock, ClockTime time, MemoryOrder order) {
  const Owner* owner = __atomic_load_n(&given.owners[clock], __ATOMIC_ACQUIRE);
  while (owner != nullptr && time <= owner->base) owner = owner->previous;
  if (owner != nullptr) record_after(self, owner->thread, time - owner->base, order);
}

void tell_remembered(Thread& self, ClockTime* times, MemoryOrder order) {
  for (std::uint32_t i = 0; i < entries(); ++i) {
    const ClockTime time = times[i];
    times[i] = 0;
    if (time != 0) tell_after(self, i, time, order);
  }
}

bool crosses_words(const SyncEvent& event) { return (event.target & 7) + event.width > 8; }

void atomic_before(Thread& self, const SyncEvent& event) {
  if (event.kind == EventKind::AtomicStore) return;
  const Using lock(event.target, event.alone, false);
  each_variable(event.target, event.width, [&](AtomicVariable& variable, bool) {
    const bool acquiring = acquires(event.order);
    const AtomicVariable::Clock clock = clock_of(variable);
    if (variable.untold) remember_untold(self, clock.times, clock.room, acquiring);
    if (!acquiring) return;
    if (variable.is_partial && has_news(self, variable, false)) self.order.partial = true;
    certain_edge(self, clock.times, clock.room);
  });
}

/// How others learn of what a variable's releases order, from now on. What stays as it is is not stored:
/// others have it in their caches, too.
void set_telling(AtomicVariable& variable, const Thread& self, const SyncEvent& event, bool releasing) {
  const bool stores = event.kind == EventKind::AtomicStore;
  const bool told = (!stores && variable.told) || (releasing && !event.hides);
  const bool untold = (!stores && variable.untold) || (releasing && event.hides);
  const bool is_partial = (!stores && variable.is_partial) || (releasing && self.order.partial);
  if (variable.told != told) variable.told = told;
  if (variable.untold != untold) variable.untold = untold;
  if (variable.is_partial != is_partial) variable.is_partial = is_partial;
}

void atomic_after(Thread& self, const SyncEvent& event) {
  if (event.kind == EventKind::AtomicLoad) return;
  const bool stores = event.kind == EventKind::AtomicStore;
  const bool releasing = releases(event.order) || self.order.fenced;
  if (!stores && !releasing) return;
  const Using lock(event.target, event.alone, true);
  AtomicVariable* mine = nullptr;
  // A store begins a release sequence of its own; a read-modify-write continues the one it is in.
  each_variable(event.target, event.width, [&](AtomicVariable& variable, bool same) {
    if (same) mine = &variable;
    if (same) set_telling(variable, self, event, releasing);
    // What stays as it is is not stored: others have it in their caches, too.
    const bool is_unknown = !same || (!stores && variable.is_unknown);
    if (variable.is_unknown != is_unknown) variable.is_unknown = is_unknown;
    if (stores && !(same && releasing)) replace(variable, nullptr, 0);
  });
  if (!releasing) return;
  if (mine == nullptr && !crosses_words(event)) {
    mine = make_variable(event.target, event.width);
    if (mine != nullptr) set_telling(*mine, self, event, releasing);
  }
  const std::uint32_t count = entries();
  if (mine == nullptr || !mine->make_room(count)) {
    __atomic_store_n(&is_incomplete, true, __ATOMIC_RELAXED);
    if (event.hides) {  // nobody would ever learn of it
      recorder.stream.stop(stream::Stop::NoSpace);
      __atomic_store_n(&recorder.recording, false, __ATOMIC_RELAXED);
    }
    return;
  }
  if (self.order.clock == kNoClock || mine->width != event.width) mine->is_unknown = true;
  const ClockTime* const released = releases(event.order) ? clock_now(self) : self.order.fence;
  if (stores)
    replace(*mine, released, count);
  else
    join(mine->clock().times, released, count);
}

/// An entry that nobody else needs: a new one, or that of a thread that has ended before all of `H`.
std::uint32_t take_clock(const ClockTime* H, ClockTime& base) {
  for (std::uint32_t i = 0; H != nullptr && i < given.free_count; ++i) {
    const std::uint32_t clock = given.free[i];
    if (H[clock] < given.free_since[clock]) continue;
    given.free[i] = given.free[--given.free_count];
    base = given.free_since[clock];
    return clock;
  }
  base = 0;
  if (given.count == kMaxClocks) return kNoClock;
  __atomic_store_n(&given.count, given.count + 1, __ATOMIC_RELEASE);
  return given.count - 1;
}

void join_thread(Thread& self, std::uint32_t slot) {
  const Ended* const ended = slot < stream::kMaxThreads
                                 ? __atomic_exchange_n(&ended_threads[slot], nullptr, __ATOMIC_ACQ_REL)
                                 : nullptr;
  if (ended == nullptr || ended->is_partial) self.order.partial = true;
  if (ended == nullptr) return;
  certain_edge(self, ended->H, ended->count);
  if (ended->clock == kNoClock) return;
  const Locked lock(given.giving);
  given.free_since[ended->clock] = ended->H[ended->clock];
  given.free[given.free_count++] = ended->clock;
}

/// What an event leaves for others.
void leave_order(Thread& self, const SyncEvent& event) {
  switch (event.kind) {
    case EventKind::Release:
    case EventKind::ReleaseShared:
      if (self.order.sections > 0) --self.order.sections;
      if (event.kind == EventKind::Release)
        release(self, event.target);
      else
        release_shared(self, event.target);
      return;
    case EventKind::Fence:
      if (!releases(event.order)) return;
      copy(self.order.fence, clock_now(self), kMaxClocks);
      self.order.fenced = true;
      return;
    case EventKind::AtomicStore:
    case EventKind::AtomicRmw:
      return atomic_after(self, event);
    default:
      return;
  }
}

}  // namespace

void begin_order(Thread& self, const Thread* parent) {
  ThreadOrder& order = self.order;
  order.clock = kNoClock;
  order.partial = true;
  if (!is_kept()) return;
  if (parent != nullptr && parent->ignoring_sync != 0) parent = nullptr;  // the stream will not know
  ClockTime* const H = parent != nullptr ? order.H : nullptr;
  if (parent != nullptr) {
    copy(order.H, parent->order.H, kMaxClocks);
    if (parent->order.clock != kNoClock) order.H[parent->order.clock] = now(*parent);
    copy(order.C, order.H, kMaxClocks);
  }
  auto* const owner = static_cast<Owner*>(take_sync_memory(sizeof(Owner)));
  const Locked lock(given.giving);
  if (owner != nullptr) order.clock = take_clock(H, order.base);
  if (order.clock == kNoClock) return;
  *owner = {self.index, order.base, given.owners[order.clock]};
  __atomic_store_n(&given.owners[order.clock], owner, __ATOMIC_RELEASE);
  order.partial = parent != nullptr && parent->order.partial;
}

void end_order(const Thread& self) {
  if (!is_kept()) return;
  const std::uint32_t count = entries();
  auto* const ended = static_cast<Ended*>(take_sync_memory(sizeof(Ended) + count * sizeof(ClockTime)));
  if (ended == nullptr) return;
  ended->clock = self.order.clock;
  ended->is_partial = self.order.partial;
  ended->count = count;
  copy(ended->H, self.order.H, count);
  if (self.order.clock != kNoClock) ended->H[self.order.clock] = now(self);
  __atomic_store_n(&ended_threads[self.index], ended, __ATOMIC_RELEASE);
}

bool knows_releases(const Thread& self, std::uintptr_t address, std::uint32_t width) {
  if (__atomic_load_n(&is_incomplete, __ATOMIC_RELAXED)) return false;
  bool known = true;
  each_variable(address, width, [&](AtomicVariable& variable, bool same) {
    known = known && same && !__atomic_load_n(&variable.is_unknown, __ATOMIC_RELAXED) &&
            !has_news(self, variable, __atomic_load_n(&variable.untold, __ATOMIC_RELAXED));
  });
  return known;
}

bool load_silently(Thread& self, std::uintptr_t address, std::uint32_t width, MemoryOrder order,
                   std::uint32_t version) {
  ClockTime times[AtomicVariable::kTimes];
  std::uint32_t count = 0;
  bool untold = false, possible = !__atomic_load_n(&is_incomplete, __ATOMIC_RELAXED);
  each_variable(address, width, [&](AtomicVariable& variable, bool same) {
    const AtomicVariable::Clock clock = clock_of(variable);
    const auto is = [](const bool& mark) { return __atomic_load_n(&mark, __ATOMIC_RELAXED); };
    possible = possible && same && !is(variable.told) && !is(variable.is_partial) &&
               !is(variable.is_unknown) && clock.room <= AtomicVariable::kTimes;
    if (!possible) return;
    untold = is(variable.untold);
    count = clock.room;
    for (std::uint32_t i = 0; i < count; ++i) times[i] = __atomic_load_n(&clock.times[i], __ATOMIC_RELAXED);
  });
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (!possible || turns_of(address).now() != version) return false;
  if (untold) remember_untold(self, times, count, acquires(order));
  if (acquires(order)) certain_edge(self, times, count);
  return true;
}

Hiding hiding_of(std::uintptr_t address, std::uint32_t width, EventKind kind) {
  Hiding hiding = __atomic_load_n(&is_incomplete, __ATOMIC_RELAXED) ? Hiding::No : Hiding::Silent;
  each_variable(address, width, [&](const AtomicVariable& variable, bool same) {
    const bool stores = kind == EventKind::AtomicStore;
    if (!same || (!stores && (variable.told || variable.is_partial || variable.is_unknown)))
      hiding = Hiding::No;
    else if (variable.told && hiding == Hiding::Silent)
      hiding = Hiding::Told;
  });
  return hiding;
}

bool has_releases(std::uintptr_t address, std::uint32_t width) {
  bool any = is_incomplete;
  each_variable(address, width, [&](AtomicVariable& variable, bool same) {
    any |= !same || variable.is_unknown;
    const AtomicVariable::Clock clock = clock_of(variable);
    for (std::uint32_t i = 0; i < clock.room; ++i) any |= clock.times[i] != 0;
  });
  return any;
}

void tell_order(Thread& self) { tell_remembered(self, self.order.untold, MemoryOrder::None); }

void order_before(Thread& self, const SyncEvent& event) {
  if (!is_kept()) return;
  switch (event.kind) {
    case EventKind::Acquire:
    case EventKind::AcquireShared:
      ++self.order.sections;
      return acquire(self, event.target, event.kind == EventKind::Acquire);
    case EventKind::Join:
      return join_thread(self, static_cast<std::uint32_t>(event.target));
    case EventKind::AtomicLoad:
    case EventKind::AtomicRmw:
      return atomic_before(self, event);
    case EventKind::Fence:
      if (!acquires(event.order)) return;
      tell_remembered(self, self.order.pending, MemoryOrder::Relaxed);
      self.order.partial = true;
      return;
    case EventKind::BarrierEnter:
    case EventKind::BarrierExit:
    case EventKind::WaitEnd:
    case EventKind::Notify:
    case EventKind::NotifyAll:
      self.order.partial = true;
      return;
    default:
      return;
  }
}

void order_after(Thread& self, const SyncEvent& event) {
  if (!is_kept()) return;
  leave_order(self, event);
  const ThreadOrder& order = self.order;
  if (order.held_count > 0 && order.clock != kNoClock && kTimeSteps.has(event.kind))
    log_held(order.clock, now(self) + 1, *order.held[0].lock, *order.held[order.held_count - 1].lock);
}

void order_clash(Thread& self, std::uint32_t clock, ClockTime time) {
  if (clock == kNoClock) return;
  ThreadOrder& order = self.order;
  for (std::uint32_t i = 0; i < order.held_count; ++i) {
    SyncLock& lock = *order.held[i].lock;
    bool is_known = false;
    for (std::uint32_t s = 0; s < SyncLock::kSections; ++s) {
      const SyncLock::Section& section = lock.sections[s];
      if (section.clock != clock || section.first > time || time > section.last) continue;
      certain_edge(self, lock.of_section(s), lock.clocks->room);
      is_known = true;
    }
    // The other section's end is after the access, and so after all that its thread has done before that.
    if (is_known || !has_held(clock, time, lock)) continue;
    if (order.C[clock] < time) order.C[clock] = time;
    if (order.H[clock] < time) order.H[clock] = time;
  }
}

void forget_order() {
  if (recorder.filter != FilterLevel::Owner) return;
  constexpr std::size_t kEndedBytes = stream::kMaxThreads * sizeof(Ended*);
  if (ended_threads == nullptr)
    ended_threads = static_cast<Ended**>(reserve_memory(kEndedBytes));
  else
    forget_memory(reinterpret_cast<std::uintptr_t>(ended_threads), kEndedBytes);
  is_incomplete = !forget_sync_objects() || ended_threads == nullptr;
  if (is_incomplete) ended_threads = nullptr;
  given = {};
  forget_held();
}

}  // namespace ravel::rt
