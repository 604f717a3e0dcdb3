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

namespace ravel {

/// Open addressing from hashes to indexes; the entries themselves live with the caller.
class IndexTable {
 public:
  /// The index for which `equal(index)` holds among those of this hash; kNone if there is none, and `next`
  /// was added for this hash if `accept()` agreed.
  template <typename Equal, typename Accept>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t next, Equal equal, Accept accept) {
    if (count_ * 2 >= slots_.size()) grow();
    const std::uint64_t mask = slots_.size() - 1;
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    for (std::uint64_t i = hash & mask;; i = (i + 1) & mask) {
      Slot& slot = slots_[i];
      if (slot.index == kNone) {
        if (!accept()) return kNone;
        slot = {tag, static_cast<std::uint32_t>(hash), next};
        ++count_;
        return kNone;
      }
      if (slot.tag == tag && equal(slot.index)) return slot.index;
    }
  }

  static constexpr std::uint32_t kNone = 0xffffffff;

 private:
  struct Slot {
    std::uint32_t tag = 0;   ///< upper half of the hash
    std::uint32_t home = 0;  ///< lower half: where it belongs, also after growing
    std::uint32_t index = kNone;
  };
  void grow();

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

class NameInterner {
 public:
  explicit NameInterner(std::vector<std::string>& names) : names_(names) {}

  std::uint32_t intern(std::string_view name) { return *intern(name, nullptr); }
  /// Nothing if the name is new and `accept(name)` is false.
  std::optional<std::uint32_t> intern(std::string_view name, bool (*accept)(std::string_view));

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
