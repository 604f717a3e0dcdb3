// Blocks: who allocated the memory at an address. What a finding about heap memory is named after.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "event/event.h"

namespace ravel {

/// Kept by the resolver, which sees events a batch before the analyses do: a block that makes room for
/// another one is remembered until the next batch.
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

  void begin_batch() { replaced_.clear(); }
  void add(const Event& alloc);
  /// The block that the event at `position` found at `address`; freed or not, until the memory is used again.
  std::optional<Block> find(std::uint64_t address, std::uint64_t position) const;

 private:
  std::map<std::uint64_t, Block> blocks_;  ///< by address
  std::vector<Block> replaced_;            ///< in this batch, oldest first
};

}  // namespace ravel
