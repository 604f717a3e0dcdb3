// Interners: each distinct name (or place) of a trace gets the next index, once.
//
// They fill a vector of a Tables and look names up in that same vector, so a name is stored once. Used by
// readers of text formats, for which a look-up per operand is most of the work. Owned by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/check.h"
#include "event/ids.h"
#include "event/place.h"
#include "trace/large_memory.h"

namespace ravel {

/// Open addressing from 64-bit keys to indexes; the entries themselves live with the caller. One cache line a
/// look-up is what large traces need.
class IndexTable {
 public:
  /// The index for which `equal(index)` holds among those of this key; kNone if there is none, and `next`
  /// was added for this key if `accept()` agreed.
  template <typename Equal, typename Accept>
  std::uint32_t find_or_add(std::uint64_t key, std::uint32_t next, Equal equal, Accept accept) {
    if (count_ * 2 >= slots_.size()) grow();
    const std::uint64_t mask = slots_.size() - 1;
    for (std::uint64_t i = home(key) & mask;; i = (i + 1) & mask) {
      Slot& slot = slots_[i];
      if (slot.index == kNone) {
        if (!accept()) return kNone;
        slot = {key, next};
        ++count_;
        return kNone;
      }
      if (slot.key == key && equal(slot.index)) return slot.index;
    }
  }

  /// Begins to fetch what find_or_add of this key will look at.
  void prefetch(std::uint64_t key) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home(key) & (slots_.size() - 1)]);
  }

  static constexpr std::uint32_t kNone = 0xffffffff;

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t index = kNone;
  };
  static std::uint64_t home(std::uint64_t key) {
    // The high bits of the product, which depend on every bit of the key: names often differ in their last
    // characters alone.
    return __builtin_bswap64(key * 0x9e3779b97f4a7c15ULL);
  }
  void grow();

  std::vector<Slot, LargeAllocator<Slot>> slots_;
  std::size_t count_ = 0;
};

/// What a name is looked up by. Names of up to eight bytes, which most are, are their own keys: equal keys
/// mean equal names, and no name need be looked at.
struct NameKey {
  explicit NameKey(std::string_view name);
  bool operator==(const NameKey&) const = default;

  std::uint64_t bits;
  bool whole;  ///< `bits` is the name
};

class NameInterner {
 public:
  explicit NameInterner(std::vector<std::string>& names) : names_(names) {}

  std::uint32_t intern(std::string_view name) { return *intern(name, NameKey(name), nullptr); }
  /// Nothing if the name is new and `accept(name)` is false.
  std::optional<std::uint32_t> intern(std::string_view name, const NameKey& key,
                                      bool (*accept)(std::string_view));
  /// Begins to fetch what intern() of this key will look at.
  void prefetch(const NameKey& key) const { table_.prefetch(key.bits); }

 private:
  std::vector<std::string>& names_;
  IndexTable table_;
};

class PlaceInterner {
 public:
  explicit PlaceInterner(std::vector<Place>& places) : places_(places) {}

  PlaceId intern(std::string_view file, std::uint64_t line, std::string_view function);

 private:
  std::vector<Place>& places_;
  IndexTable table_;
};

}  // namespace ravel
