#include "analysis/lockset_table.h"

#include <algorithm>

namespace ravel {
namespace {

std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }

// A lock and its mode in 32 bits: there are fewer than 2^31 locks.
std::uint32_t lock_key(HeldLock lock) {
  return lock.lock.value << 1 | static_cast<std::uint32_t>(lock.shared);
}

}  // namespace

LocksetId LocksetTable::intern(std::vector<HeldLock> locks) {
  std::uint64_t hash = 0;
  for (const HeldLock& lock : locks) hash = (hash ^ lock_key(lock)) * 0x9e3779b97f4a7c15ULL;
  std::vector<LocksetId>& same_hash = by_hash_[hash];
  for (const LocksetId id : same_hash)
    if (sets_[id.index()].locks == locks) return id;
  const LocksetId id(sets_.size());
  same_hash.push_back(id);
  sets_.push_back({std::move(locks), {}, {}});
  return id;
}

LocksetId LocksetTable::with(LocksetId set, HeldLock lock) {
  const auto [memo, fresh] = with_.try_emplace(pair_key(set.value, lock_key(lock)));
  if (!fresh) return memo->second;
  std::vector<HeldLock> locks = sets_[set.index()].locks;
  const auto at = std::ranges::lower_bound(locks, lock);
  if (at == locks.end() || *at != lock) locks.insert(at, lock);
  return memo->second = intern(std::move(locks));
}

LocksetId LocksetTable::without(LocksetId set, LockId lock) {
  const auto [memo, fresh] = without_.try_emplace(pair_key(set.value, lock.value));
  if (!fresh) return memo->second;
  std::vector<HeldLock> locks = sets_[set.index()].locks;
  std::erase_if(locks, [lock](const HeldLock& held) { return held.lock == lock; });
  return memo->second = intern(std::move(locks));
}

LocksetId LocksetTable::intersect(LocksetId a, LocksetId b) {
  if (a == b) return a;
  const auto [memo, fresh] = intersection_.try_emplace(pair_key(std::min(a, b).value, std::max(a, b).value));
  if (!fresh) return memo->second;
  std::vector<HeldLock> both;
  std::ranges::set_intersection(sets_[a.index()].locks, sets_[b.index()].locks, std::back_inserter(both));
  return memo->second = intern(std::move(both));
}

LocksetId LocksetTable::protecting_write(LocksetId set) {
  if (!sets_[set.index()].protecting_write.valid()) {
    std::vector<HeldLock> locks = sets_[set.index()].locks;
    std::erase_if(locks, [](const HeldLock& held) { return held.shared; });
    const LocksetId id = intern(std::move(locks));
    sets_[set.index()].protecting_write = id;
  }
  return sets_[set.index()].protecting_write;
}

LocksetId LocksetTable::protecting_read(LocksetId set) {
  if (!sets_[set.index()].protecting_read.valid()) {
    std::vector<HeldLock> locks = sets_[set.index()].locks;
    for (HeldLock& held : locks) held.shared = false;
    const LocksetId id = intern(std::move(locks));
    sets_[set.index()].protecting_read = id;
  }
  return sets_[set.index()].protecting_read;
}

}  // namespace ravel
