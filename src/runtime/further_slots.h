// A cell's further slots, taken out of it with those of its annex (annex.h), by who has it locked or alone
// uses its region.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "runtime/annex.h"
#include "runtime/cell.h"

namespace ravel::rt {

/// Other processors have the word, too: a store that changes nothing would take it from them.
RAVEL_INLINE void change(std::uint64_t& word, std::uint64_t value) {
  if (__atomic_load_n(&word, __ATOMIC_RELAXED) != value) __atomic_store_n(&word, value, __ATOMIC_RELAXED);
}

class FurtherSlots {
 public:
  static constexpr std::size_t kMax = 2 + Annex::kSlots;

  /// As if there were none.
  RAVEL_INLINE FurtherSlots(const Cell& cell, std::uintptr_t address) : cell_(cell), address_(address) {
    slots_[0] = slots_[1] = 0;
  }
  /// What they say that the words of the cell do not: the short ways leave what they outdo.
  RAVEL_INLINE void take(std::uint64_t read, std::uint64_t write) {
    for (int i = 0; i < 2; ++i) slots_[i] = not_outdone(cell_.further()[i], read, write);
    if ((cell_.further()[0] & kAnnexed) != 0) [[unlikely]]
      take_more(read, write);
  }

  std::span<std::uint64_t> all() { return std::span(slots_).first(annex_ == nullptr ? 2 : kMax); }
  template <typename Is>
  RAVEL_INLINE bool any(Is is) const {
    if (is(slots_[0]) || is(slots_[1])) return true;
    return annex_ != nullptr && std::any_of(slots_ + 2, slots_ + kMax, is);
  }

  /// A slot more; null: there is none.
  RAVEL_NOINLINE std::uint64_t* add() {
    if (annex_ != nullptr || (annex_ = try_annex(address_)) == nullptr) return nullptr;
    std::fill(slots_ + 2, slots_ + kMax, 0);
    return slots_ + 2;
  }

  /// Puts them back, and returns what the read word says of them.
  RAVEL_NOINLINE std::uint64_t put_back() {
    const bool annexed = annex_ != nullptr && put_more_back();
    for (std::uint64_t& slot : std::span(slots_).first<2>())
      if (!has_bytes(slot)) slot = 0;
    change(cell_.further()[0], slots_[0] | (annexed ? kAnnexed : 0));
    change(cell_.further()[1], slots_[1]);
    return annexed || has_bytes(slots_[0]) || has_bytes(slots_[1]) ? kFurther : 0;
  }
  /// After the last of this.
  RAVEL_INLINE void leave() {
    if (annex_ != nullptr) [[unlikely]]
      leave_annex(*annex_, address_);
  }

 private:
  static std::uint64_t not_outdone(std::uint64_t slot, std::uint64_t read, std::uint64_t write) {
    return without(slot & ~kAnnexed, bytes_outdone(slot, read, write));
  }
  RAVEL_NOINLINE void take_more(std::uint64_t read, std::uint64_t write) {
    annex_ = &take_annex(address_);
    for (unsigned i = 0; i < Annex::kSlots; ++i) slots_[2 + i] = not_outdone(annex_->slots[i], read, write);
  }
  /// Fills up the first two: those can be used without the annex. False: it is empty then.
  bool put_more_back() {
    bool annexed = false;
    for (unsigned i = 2; i < kMax; ++i) {
      if (!has_bytes(slots_[i])) continue;
      const auto empty = std::find_if_not(slots_, slots_ + 2, has_bytes);
      if (empty != slots_ + 2)
        *empty = std::exchange(slots_[i], 0);
      else
        annexed = true;
    }
    std::copy_n(slots_ + 2, Annex::kSlots, annex_->slots);
    return annexed;
  }

  Cell cell_;
  std::uintptr_t address_;
  std::uint64_t slots_[kMax];  ///< from the third on, if there is an annex
  Annex* annex_ = nullptr;     ///< taken
};

}  // namespace ravel::rt
