#include "runtime/sync_objects.h"

namespace ravel::rt {
namespace {

constexpr std::size_t kBuckets = std::size_t{1} << 16;
constexpr std::size_t kPageBuckets = std::size_t{1} << 14;
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

/// By hashes of addresses and of pages, in memory that is backed when it is touched.
struct Tables {
  SyncLock* locks[kBuckets];
  SyncLock* locks_of_page[kPageBuckets];
  AtomicVariable* variables_of_page[kPageBuckets];
};
constinit Tables* tables = nullptr;
constinit char* memory = nullptr;
constinit std::size_t memory_used = 0;
constinit SpinLock making;
constinit std::uint64_t names = 0;  ///< that locks have got

std::size_t bucket_of(std::uintptr_t address) { return address * 0x9e37'79b9'7f4a'7c15ULL >> 48; }
std::size_t page_bucket_of(std::uintptr_t address) {
  return (address / kPageBytes) * 0x9e37'79b9'7f4a'7c15ULL >> 50;
}

void* take(std::size_t bytes) {
  // Who changes one of them does not disturb others.
  constexpr std::size_t kLine = 64;
  bytes = (bytes + kLine - 1) & ~(kLine - 1);
  if (memory == nullptr || memory_used + bytes > kMaxBytes) return nullptr;
  memory_used += bytes;
  return memory + memory_used - bytes;
}

SyncLock* find_lock(SyncLock* const& bucket, std::uintptr_t address) {
  SyncLock* lock = __atomic_load_n(&bucket, __ATOMIC_ACQUIRE);
  while (lock != nullptr && lock->address != address) lock = lock->next;
  return lock;
}

void clear(Clocks* clocks, std::uint32_t count) {
  for (std::size_t i = 0; clocks != nullptr && i < std::size_t{count} * clocks->room; ++i)
    clocks->times[i] = 0;
}

bool forget_locks(std::size_t bucket, std::uintptr_t address, std::size_t bytes) {
  bool told = false;
  SyncLock* lock = __atomic_load_n(&tables->locks_of_page[bucket], __ATOMIC_ACQUIRE);
  for (; lock != nullptr; lock = lock->next_in_page) {
    if (lock->address - address >= bytes) continue;
    told |= __atomic_exchange_n(&lock->name, 0, __ATOMIC_RELAXED) != 0;
    for (SyncLock::Section& section : lock->sections) section = {};
    clear(lock->clocks, 1 + SyncLock::kSections);
    lock->is_partial = lock->is_shared = false;
  }
  return told;
}

bool forget_variables(std::size_t bucket, std::uintptr_t address, std::size_t bytes) {
  bool told = false;
  AtomicVariable* variable = __atomic_load_n(&tables->variables_of_page[bucket], __ATOMIC_ACQUIRE);
  for (; variable != nullptr; variable = variable->next_in_page) {
    const std::uintptr_t begin = variable->address;
    if (begin + variable->width <= address || begin >= address + bytes) continue;
    const Locked lock(turns_of(begin).lock);
    told |= variable->told;
    __atomic_store_n(&variable->width, 0, __ATOMIC_RELEASE);
    variable->is_unknown = variable->is_partial = variable->told = variable->untold = false;
    const AtomicVariable::Clock clock = variable->clock();
    for (std::uint32_t i = 0; i < clock.room; ++i) clock.times[i] = 0;
  }
  return told;
}

}  // namespace

alignas(kPageBytes) constinit AtomicTurns atomic_turns[kTurns];

Clocks* make_clocks(Clocks* old, std::uint32_t count, std::uint32_t entries) {
  if (old != nullptr && old->room >= entries) return old;
  const std::uint32_t room = ((entries + 8) & ~7U) - 1;  // with the number before them, whole lines
  auto* const made = static_cast<Clocks*>(
      take_sync_memory(offsetof(Clocks, times) + std::size_t{count} * room * sizeof(ClockTime)));
  if (made == nullptr) return nullptr;
  made->room = room;
  for (std::uint32_t number = 0; old != nullptr && number < count; ++number)
    for (std::uint32_t i = 0; i < old->room; ++i) made->at(number)[i] = old->at(number)[i];
  return made;
}

bool AtomicVariable::make_room(std::uint32_t entries) {
  if (entries <= clock().room) return true;
  Clocks* const made = make_clocks(larger, 1, entries);
  if (made == nullptr) return false;
  if (larger == nullptr)
    for (std::uint32_t i = 0; i < kTimes; ++i) made->times[i] = times[i];
  __atomic_store_n(&larger, made, __ATOMIC_RELEASE);
  return true;
}

SyncLock* lock_at(std::uintptr_t address) {
  SyncLock*& bucket = tables->locks[bucket_of(address)];
  if (SyncLock* const found = find_lock(bucket, address); found != nullptr) return found;
  const Locked lock(making);
  if (SyncLock* const found = find_lock(bucket, address); found != nullptr) return found;
  auto* const made = static_cast<SyncLock*>(take(sizeof(SyncLock)));
  if (made == nullptr) return nullptr;
  SyncLock*& page = tables->locks_of_page[page_bucket_of(address)];
  made->address = address;
  made->next = bucket;
  made->next_in_page = page;
  __atomic_store_n(&bucket, made, __ATOMIC_RELEASE);
  __atomic_store_n(&page, made, __ATOMIC_RELEASE);
  return made;
}

void name_lock(SyncLock& lock) {
  if (__atomic_load_n(&lock.name, __ATOMIC_RELAXED) != 0) return;
  std::uint64_t none = 0;
  const std::uint64_t name = __atomic_add_fetch(&names, 1, __ATOMIC_RELAXED);
  __atomic_compare_exchange_n(&lock.name, &none, name, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

AtomicVariable* make_variable(std::uintptr_t address, std::uint32_t width) {
  AtomicVariable& first = turns_of(address).first;
  AtomicVariable* variable = &first;
  while (variable != nullptr && variable->address != address && variable->address != 0)
    variable = variable->next;
  if (variable == nullptr) variable = static_cast<AtomicVariable*>(take_sync_memory(sizeof(AtomicVariable)));
  if (variable == nullptr) return nullptr;
  if (variable->width == 0)
    __atomic_store_n(&variable->width, static_cast<std::uint8_t>(width), __ATOMIC_RELEASE);
  if (variable->address == address) return variable;
  __atomic_store_n(&variable->address, address, __ATOMIC_RELEASE);
  if (variable != &first) {
    variable->next = first.next;
    __atomic_store_n(&first.next, variable, __ATOMIC_RELEASE);
  }
  const Locked lock(making);
  AtomicVariable*& page = tables->variables_of_page[page_bucket_of(address)];
  variable->next_in_page = page;
  __atomic_store_n(&page, variable, __ATOMIC_RELEASE);
  return variable;
}

void forget_atomic_turns() {
  forget_memory(reinterpret_cast<std::uintptr_t>(atomic_turns), sizeof atomic_turns);
}

bool forget_order_of(std::uintptr_t address, std::size_t bytes) {
  if (tables == nullptr || bytes == 0) return false;
  const std::uintptr_t first = address / kPageBytes, last = (address + bytes - 1) / kPageBytes;
  bool told = false;
  const auto forget = [&](std::size_t bucket) {
    told |= forget_locks(bucket, address, bytes);
    told |= forget_variables(bucket, address, bytes);
  };
  if (last - first >= kPageBuckets) {
    for (std::size_t bucket = 0; bucket < kPageBuckets; ++bucket) forget(bucket);
    return told;
  }
  for (std::uintptr_t page = first; page <= last; ++page) forget(page_bucket_of(page * kPageBytes));
  return told;
}

void forget_atomics(std::uintptr_t address, std::size_t bytes) {
  if (tables != nullptr) forget_variables(page_bucket_of(address), address, bytes);
}

void* take_sync_memory(std::size_t bytes) {
  const Locked lock(making);
  return take(bytes);
}

bool forget_sync_objects() {
  if (tables == nullptr) {
    tables = static_cast<Tables*>(reserve_memory(sizeof(Tables)));
    memory = static_cast<char*>(reserve_memory(kMaxBytes));
  } else {
    forget_memory(reinterpret_cast<std::uintptr_t>(tables), sizeof(Tables));
    forget_memory(reinterpret_cast<std::uintptr_t>(memory), memory_used);
  }
  memory_used = 0;
  making = {};
  return tables != nullptr && memory != nullptr;
}

}  // namespace ravel::rt
