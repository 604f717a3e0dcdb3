// LocksetTable: sets of locks as small numbers. Equal sets have equal ids, so that keeping "the locks held at this access"
// costs four bytes and intersecting two sets seen before costs one look-up.
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
  LocksetTable();

  static constexpr LocksetId kEmpty{std::uint32_t{0}};

  LocksetId with(LocksetId set, HeldLock lock);
  LocksetId without(LocksetId set, LockId lock);
  LocksetId intersect(LocksetId a, LocksetId b);
  /// The set's locks that are held exclusively.
  LocksetId exclusive(LocksetId set);
  /// Sorted by lock.
  std::span<const HeldLock> locks(LocksetId set) const { return sets_[set.index()]; }
  bool empty(LocksetId set) const { return set == kEmpty; }
  std::size_t size() const { return sets_.size(); }

 private:
  enum class Operation : std::uint8_t;
  LocksetId intern(std::vector<HeldLock> set);

  std::vector<std::vector<HeldLock>> sets_;
  boost::unordered_flat_map<std::uint64_t, std::vector<LocksetId>> by_hash_;
  boost::unordered_flat_map<std::uint64_t, LocksetId> with_, without_, intersection_;
  std::vector<LocksetId> exclusive_;
};

}  // namespace ravel
