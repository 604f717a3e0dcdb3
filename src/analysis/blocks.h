// Blocks: who allocated the memory at an address. What a finding about heap memory is named after.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "event/event.h"

namespace ravel {

/// Kept by the resolver, which sees events a batch before the analyses do, and some of these report later
/// still: the last blocks that made room for others are remembered, and those of the batch.
class Blocks {
 public:
  struct Block {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    std::uint64_t position = 0;  ///< of the event that allocated it
    ThreadId thread;
    PlaceId place;
    StackId stack;
  };

  void begin_batch() {
    constexpr std::size_t kRemembered = 4096;
    if (replaced_.size() > 2 * kRemembered)
      replaced_.erase(replaced_.begin(), replaced_.end() - static_cast<std::ptrdiff_t>(kRemembered));
  }
  void add(const Event& alloc);
  /// The block that the event at `position` found at `address`; freed or not, until the memory is used again.
  std::optional<Block> find(std::uint64_t address, std::uint64_t position) const;

 private:
  std::map<std::uint64_t, Block> blocks_;  ///< by address
  std::vector<Block> replaced_;            ///< oldest first
};

}  // namespace ravel
