#include "analysis/blocks.h"

#include <ranges>

namespace ravel {

void Blocks::add(const Event& alloc) {
  const Block block{.begin = alloc.address(),
                    .size = alloc.width,
                    .position = alloc.position,
                    .thread = alloc.thread,
                    .place = alloc.place,
                    .stack = alloc.stack};
  auto at = blocks_.lower_bound(block.begin);
  if (at != blocks_.begin()) {
    const auto before = std::prev(at);
    if (block.begin - before->first < before->second.size) at = before;
  }
  // A block of no size still has an address of its own.
  while (at != blocks_.end() && (at->first < block.begin + block.size || at->first == block.begin)) {
    replaced_.push_back(at->second);
    at = blocks_.erase(at);
  }
  blocks_.emplace_hint(at, block.begin, block);
}

std::optional<Blocks::Block> Blocks::find(std::uint64_t address, std::uint64_t position) const {
  const auto holds = [&](const Block& block) {
    return address - block.begin < block.size && block.position <= position;
  };
  if (auto after = blocks_.upper_bound(address); after != blocks_.begin()) {
    const Block& block = std::prev(after)->second;
    if (holds(block)) return block;
  }
  for (const Block& block : replaced_ | std::views::reverse)
    if (holds(block)) return block;
  return std::nullopt;
}

}  // namespace ravel
