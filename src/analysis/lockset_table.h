// LocksetTable: sets of locks as small numbers. Equal sets have equal ids, so that keeping "the locks held at
// this access" costs four bytes and an operation seen before costs one look-up.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "event/ids.h"

namespace ravel {

/// A lock in a set, with how it is held.
struct HeldLock {
  LockId lock;
  bool shared = false;

  friend constexpr auto operator<=>(const HeldLock&, const HeldLock&) = default;
};

class LocksetTable {
 public:
  LocksetTable() { intern({}); }

  static constexpr LocksetId kEmpty{std::uint32_t{0}};

  LocksetId with(LocksetId set, HeldLock lock);
  LocksetId without(LocksetId set, LockId lock);
  LocksetId intersect(LocksetId a, LocksetId b);
  /// The set's exclusively held locks: what protects a write.
  LocksetId protecting_write(LocksetId set);
  /// All its locks, however held, as if held exclusively: what protects a read.
  LocksetId protecting_read(LocksetId set);
  /// Sorted by lock. Invalidated by the next operation.
  std::span<const HeldLock> locks(LocksetId set) const { return sets_[set.index()].locks; }
  std::size_t size() const { return sets_.size(); }

 private:
  struct Set {
    std::vector<HeldLock> locks;
    LocksetId protecting_write;  ///< invalid: not asked for yet
    LocksetId protecting_read;
  };
  using Memo = boost::unordered_flat_map<std::uint64_t, LocksetId>;

  LocksetId intern(std::vector<HeldLock> locks);

  std::vector<Set> sets_;
  boost::unordered_flat_map<std::uint64_t, std::vector<LocksetId>> by_hash_;
  Memo with_, without_, intersection_;
};

}  // namespace ravel
