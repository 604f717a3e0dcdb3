#include "runtime/order.h"

#include "runtime/recorder.h"
#include "runtime/thread.h"

namespace ravel::rt {

/// A lock or an atomic variable.
struct SyncObject {
  /// A lock's last sections.
  struct Section {
    std::uint32_t clock;
    ClockTime first;
    ClockTime last;
  };
  static constexpr std::uint32_t kSections = 4;

  std::uint64_t key;
  SyncObject* next;          ///< with the same hash
  SyncObject* next_in_page;  ///< in pages with the same hash
  SpinLock using_it;         ///< for atomic variables; locks are used by who holds them
  std::uint32_t latest;      ///< of the sections
  Section sections[kSections];
  struct Clocks* clocks;  ///< null: none yet
};

/// C of a lock; of an atomic variable, what who acquires comes after. Behind it, for a lock, H of its
/// sections.
struct Clocks {
  std::uint32_t room;  ///< entries of each
  ClockTime times[1];

  ClockTime* certain() { return times; }
  ClockTime* of_section(std::uint32_t section) { return times + std::size_t{section + 1} * room; }
};

namespace {

/// Locks an atomic variable, unless the caller has seen to it that nobody else uses it.
class Using {
 public:
  Using(SyncObject& object, bool alone) : lock_(alone ? nullptr : &object.using_it) {
    if (lock_ != nullptr) lock_->lock();
  }
  ~Using() {
    if (lock_ != nullptr) lock_->unlock();
  }
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;

 private:
  SpinLock* lock_;
};

enum class Sort : std::uint8_t { Lock, Atomic };
constexpr std::uint64_t key_of(Sort sort, std::uintptr_t address) {
  return address << 1 | static_cast<std::uint64_t>(sort);
}
std::uintptr_t address_of(const SyncObject& object) { return object.key >> 1; }

constexpr std::size_t kBuckets = std::size_t{1} << 16;
constexpr std::size_t kPageBuckets = std::size_t{1} << 14;
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

/// A thread that has ended and was not joined.
struct Ended {
  std::uint32_t clock;
  std::uint32_t count;  ///< entries of H
  ClockTime H[1];
};

/// All of it, in memory that is backed when it is touched.
struct Store {
  SyncObject* objects[kBuckets];
  SyncObject* pages[kPageBuckets];
  struct Ended* ended[stream::kMaxThreads];  ///< by slot
};
constinit Store* store = nullptr;
constinit char* room_at = nullptr;  ///< for objects and clocks
constinit std::size_t room_used = 0;
constinit SpinLock storing;
constinit std::uint32_t clock_count = 0;  ///< entries that are or were in use
constinit std::uint32_t free_clocks[kMaxClocks] = {};
constinit ClockTime free_since[kMaxClocks] = {};  ///< the last time of their last owners
constinit std::uint32_t free_count = 0;

/// Zeroed; null: there is no more.
void* take_room(std::size_t bytes) {
  bytes = (bytes + 15) & ~std::size_t{15};
  if (room_at == nullptr || room_used + bytes > kMaxBytes) return nullptr;
  room_used += bytes;
  return room_at + room_used - bytes;
}

std::size_t bucket_of(std::uint64_t key) { return key * 0x9e37'79b9'7f4a'7c15ULL >> 48; }
std::size_t page_bucket_of(std::uintptr_t address) {
  return (address / kPageBytes) * 0x9e37'79b9'7f4a'7c15ULL >> 50;
}

SyncObject* find_object(std::uint64_t key) {
  SyncObject* object = __atomic_load_n(&store->objects[bucket_of(key)], __ATOMIC_ACQUIRE);
  while (object != nullptr && object->key != key) object = object->next;
  return object;
}

SyncObject* add_object(std::uint64_t key) {
  const Locked lock(storing);
  if (SyncObject* const found = find_object(key); found != nullptr) return found;
  auto* const object = static_cast<SyncObject*>(take_room(sizeof(SyncObject)));
  if (object == nullptr) return nullptr;
  object->key = key;
  for (SyncObject::Section& section : object->sections) section.clock = kNoClock;
  SyncObject*& bucket = store->objects[bucket_of(key)];
  SyncObject*& page = store->pages[page_bucket_of(address_of(*object))];
  object->next = bucket;
  object->next_in_page = page;
  __atomic_store_n(&bucket, object, __ATOMIC_RELEASE);
  __atomic_store_n(&page, object, __ATOMIC_RELEASE);
  return object;
}

/// Null: there is no room for it, or, if it is only looked for, nobody has used it yet.
SyncObject* object_at(Thread& self, Sort sort, std::uintptr_t address, bool make) {
  const std::uint64_t key = key_of(sort, address);
  ThreadOrder::Known& known = self.order.known[bucket_of(key) % ThreadOrder::kKnown];
  if (known.key == key) return known.object;
  SyncObject* object = find_object(key);
  if (object == nullptr && make) object = add_object(key);
  if (object != nullptr) known = {key, object};
  return object;
}

Clocks* clocks_of(const SyncObject& object) { return __atomic_load_n(&object.clocks, __ATOMIC_ACQUIRE); }

/// The object's clocks, with room for so many entries; null: there is none.
Clocks* make_room(SyncObject& object, Sort sort, std::uint32_t entries) {
  Clocks* const old = clocks_of(object);
  if (old != nullptr && old->room >= entries) return old;
  const std::uint32_t room = (entries + 7) & ~7U;
  const std::uint32_t clocks = sort == Sort::Lock ? 1 + SyncObject::kSections : 1;
  Clocks* made = nullptr;
  {
    const Locked lock(storing);
    made = static_cast<Clocks*>(take_room(sizeof(Clocks) + std::size_t{clocks} * room * sizeof(ClockTime)));
  }
  if (made == nullptr) return nullptr;
  made->room = room;
  for (std::uint32_t c = 0; old != nullptr && c < clocks; ++c)
    for (std::uint32_t i = 0; i < old->room; ++i)
      made->times[std::size_t{c} * room + i] = old->times[std::size_t{c} * old->room + i];
  __atomic_store_n(&object.clocks, made, __ATOMIC_RELEASE);
  return made;
}

void join(ClockTime* to, const ClockTime* from, std::uint32_t entries) {
  for (std::uint32_t i = 0; i < entries; ++i)
    if (from[i] > to[i]) to[i] = from[i];
}

void copy(ClockTime* to, const ClockTime* from, std::uint32_t entries) {
  for (std::uint32_t i = 0; i < entries; ++i) to[i] = from[i];
}

std::uint32_t entries() { return __atomic_load_n(&clock_count, __ATOMIC_ACQUIRE); }

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

ThreadOrder::Held* find_held(ThreadOrder& order, const SyncObject* lock) {
  for (std::uint32_t i = order.held_count; i-- > 0;)
    if (order.held[i].lock == lock) return &order.held[i];
  return nullptr;
}

void acquire(Thread& self, std::uintptr_t address, bool exclusive) {
  SyncObject* const lock = object_at(self, Sort::Lock, address, true);
  if (lock == nullptr) return;
  ThreadOrder& order = self.order;
  if (ThreadOrder::Held* const held = exclusive ? find_held(order, lock) : nullptr; held != nullptr) {
    ++held->depth;
    return;
  }
  if (Clocks* const clocks = clocks_of(*lock); clocks != nullptr) {
    join(order.H, clocks->of_section(lock->latest), clocks->room);
    join(order.C, clocks->certain(), clocks->room);
  }
  if (exclusive && order.held_count < ThreadOrder::kMaxHeld)
    order.held[order.held_count++] = {lock, now(self) + 1, 1};
}

void release(Thread& self, std::uintptr_t address) {
  SyncObject* const lock = object_at(self, Sort::Lock, address, true);
  if (lock == nullptr) return;
  ThreadOrder& order = self.order;
  ThreadOrder::Held* const held = find_held(order, lock);
  if (held != nullptr && --held->depth > 0) return;
  const std::uint32_t count = entries();
  if (Clocks* const clocks = make_room(*lock, Sort::Lock, count); clocks != nullptr) {
    lock->latest = (lock->latest + 1) % SyncObject::kSections;
    copy(clocks->of_section(lock->latest), clock_now(self), count);
    join(clocks->certain(), order.C, count);
    lock->sections[lock->latest] = {held != nullptr ? order.clock : kNoClock,
                                    held != nullptr ? held->first : 0, now(self)};
  }
  if (held != nullptr) *held = order.held[--order.held_count];
}

void atomic_before(Thread& self, const SyncEvent& event) {
  if (event.kind == EventKind::AtomicStore || !acquires(event.order)) return;
  SyncObject* const variable = object_at(self, Sort::Atomic, event.target, false);
  if (variable == nullptr) return;
  const Using lock(*variable, event.alone);
  if (Clocks* const clocks = clocks_of(*variable); clocks != nullptr)
    certain_edge(self, clocks->certain(), clocks->room);
}

void atomic_after(Thread& self, const SyncEvent& event) {
  if (event.kind == EventKind::AtomicLoad) return;
  const bool stores = event.kind == EventKind::AtomicStore;
  const bool releasing = releases(event.order);
  if (!stores && !releasing) return;
  SyncObject* const variable = object_at(self, Sort::Atomic, event.target, releasing);
  if (variable == nullptr) return;
  const std::uint32_t count = entries();
  const Using lock(*variable, event.alone);
  Clocks* const clocks = releasing ? make_room(*variable, Sort::Atomic, count) : clocks_of(*variable);
  if (clocks == nullptr) return;
  // A store begins a release sequence of its own; a read-modify-write continues the one it is in.
  if (!releasing)
    for (std::uint32_t i = 0; i < clocks->room; ++i) clocks->certain()[i] = 0;
  else if (stores)
    copy(clocks->certain(), clock_now(self), count);
  else
    join(clocks->certain(), clock_now(self), count);
}

void forget(SyncObject& object) {
  const Locked lock(object.using_it);
  for (SyncObject::Section& section : object.sections) section.clock = kNoClock;
  Clocks* const clocks = clocks_of(object);
  if (clocks == nullptr) return;
  const bool is_lock = (object.key & 1) == static_cast<std::uint64_t>(Sort::Lock);
  const std::uint32_t count = (is_lock ? 1 + SyncObject::kSections : 1) * clocks->room;
  for (std::uint32_t i = 0; i < count; ++i) clocks->times[i] = 0;
}

void forget_in_bucket(std::size_t bucket, std::uintptr_t address, std::size_t bytes, bool locks_too) {
  SyncObject* object = __atomic_load_n(&store->pages[bucket], __ATOMIC_ACQUIRE);
  for (; object != nullptr; object = object->next_in_page)
    if (address_of(*object) - address < bytes && (locks_too || object->key % 2 != 0)) forget(*object);
}

/// An entry that nobody else needs: a new one, or that of a thread that has ended before all of `H`.
std::uint32_t take_clock(const ClockTime* H, ClockTime& base) {
  for (std::uint32_t i = 0; H != nullptr && i < free_count; ++i) {
    const std::uint32_t clock = free_clocks[i];
    if (H[clock] < free_since[clock]) continue;
    free_clocks[i] = free_clocks[--free_count];
    base = free_since[clock];
    return clock;
  }
  base = 0;
  if (clock_count == kMaxClocks) return kNoClock;
  __atomic_store_n(&clock_count, clock_count + 1, __ATOMIC_RELEASE);
  return clock_count - 1;
}

void join_thread(Thread& self, std::uint32_t slot) {
  if (slot >= stream::kMaxThreads) return;
  const Ended* const ended = __atomic_exchange_n(&store->ended[slot], nullptr, __ATOMIC_ACQ_REL);
  if (ended == nullptr) return;
  certain_edge(self, ended->H, ended->count);
  if (ended->clock == kNoClock) return;
  const Locked lock(storing);
  free_since[ended->clock] = ended->H[ended->clock];
  free_clocks[free_count++] = ended->clock;
}

}  // namespace

void begin_order(Thread& self, const Thread* parent) {
  ThreadOrder& order = self.order;
  order.clock = kNoClock;
  if (recorder.filter != FilterLevel::Owner || store == nullptr) return;
  if (parent != nullptr && parent->ignoring_sync != 0) parent = nullptr;  // the stream will not know
  ClockTime* const H = parent != nullptr ? order.H : nullptr;
  if (parent != nullptr) {
    copy(order.H, parent->order.H, kMaxClocks);
    if (parent->order.clock != kNoClock) order.H[parent->order.clock] = now(*parent);
    copy(order.C, order.H, kMaxClocks);
  }
  const Locked lock(storing);
  order.clock = take_clock(H, order.base);
}

void end_order(const Thread& self) {
  if (recorder.filter != FilterLevel::Owner || store == nullptr) return;
  const std::uint32_t count = entries();
  Ended* ended = nullptr;
  {
    const Locked lock(storing);
    ended = static_cast<Ended*>(take_room(sizeof(Ended) + count * sizeof(ClockTime)));
  }
  if (ended == nullptr) return;
  ended->clock = self.order.clock;
  ended->count = count;
  copy(ended->H, self.order.H, count);
  if (self.order.clock != kNoClock) ended->H[self.order.clock] = now(self);
  __atomic_store_n(&store->ended[self.index], ended, __ATOMIC_RELEASE);
}

void order_before(Thread& self, const SyncEvent& event) {
  if (recorder.filter != FilterLevel::Owner || store == nullptr) return;
  switch (event.kind) {
    case EventKind::Acquire:
    case EventKind::AcquireShared:
      return acquire(self, event.target, event.kind == EventKind::Acquire);
    case EventKind::Join:
      return join_thread(self, static_cast<std::uint32_t>(event.target));
    case EventKind::AtomicLoad:
    case EventKind::AtomicRmw:
      return atomic_before(self, event);
    default:
      return;
  }
}

void order_after(Thread& self, const SyncEvent& event) {
  if (recorder.filter != FilterLevel::Owner || store == nullptr) return;
  switch (event.kind) {
    case EventKind::Release:
      return release(self, event.target);
    case EventKind::AtomicStore:
    case EventKind::AtomicRmw:
      return atomic_after(self, event);
    default:
      return;
  }
}

void order_clash(Thread& self, std::uint32_t clock, ClockTime time) {
  if (clock == kNoClock) return;
  const ThreadOrder& order = self.order;
  for (std::uint32_t i = 0; i < order.held_count; ++i) {
    const SyncObject& lock = *order.held[i].lock;
    for (std::uint32_t s = 0; s < SyncObject::kSections; ++s) {
      const SyncObject::Section& section = lock.sections[s];
      if (section.clock == clock && section.first <= time && time <= section.last)
        certain_edge(self, lock.clocks->of_section(s), lock.clocks->room);
    }
  }
}

void forget_order_of(std::uintptr_t address, std::size_t bytes) {
  if (store == nullptr || bytes == 0) return;
  const std::uintptr_t first = address / kPageBytes, last = (address + bytes - 1) / kPageBytes;
  if (last - first >= kPageBuckets) {
    for (std::size_t bucket = 0; bucket < kPageBuckets; ++bucket)
      forget_in_bucket(bucket, address, bytes, true);
    return;
  }
  for (std::uintptr_t page = first; page <= last; ++page)
    forget_in_bucket(page_bucket_of(page * kPageBytes), address, bytes, true);
}

void forget_atomics(std::uintptr_t address, std::size_t bytes) {
  if (store != nullptr) forget_in_bucket(page_bucket_of(address), address, bytes, false);
}

void forget_order() {
  if (recorder.filter != FilterLevel::Owner) return;
  if (store == nullptr) {
    store = static_cast<Store*>(reserve_memory(sizeof(Store)));
    room_at = static_cast<char*>(reserve_memory(kMaxBytes));
  } else {
    forget_memory(reinterpret_cast<std::uintptr_t>(store), sizeof(Store));
    if (room_at != nullptr) forget_memory(reinterpret_cast<std::uintptr_t>(room_at), room_used);
  }
  room_used = 0;
  storing = {};
  clock_count = 0;
  free_count = 0;
}

}  // namespace ravel::rt
