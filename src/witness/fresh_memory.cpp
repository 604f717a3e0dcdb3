#include "witness/fresh_memory.h"

#include <map>
#include <utility>

namespace ravel {
namespace {

/// Below the addresses that stand for names (event.h), above those that a process can have.
constexpr std::uint64_t kFirst = std::uint64_t{1} << 62;
constexpr std::uint64_t kAlignment = 4096;

class Renaming {
 public:
  void rename(Event& event) {
    switch (target_space(event.kind)) {
      case TargetSpace::Range:
        if (event.kind == EventKind::Alloc && event.width > 0) allocate(event);
        event.target = renamed(event.target);
        return;
      case TargetSpace::Lock:
        if (is_release(event.kind)) {
          const auto held = held_.find({event.thread, event.target});
          if (held == held_.end()) break;
          event.target = held->second;
          held_.erase(held);
          return;
        }
        if (is_acquire(event.kind)) held_[{event.thread, event.target}] = renamed(event.target);
        break;
      case TargetSpace::Variable:
      case TargetSpace::Condition:
      case TargetSpace::Barrier:
        break;
      case TargetSpace::Thread:
      case TargetSpace::Unit:
      case TargetSpace::None:
        return;
    }
    event.target = renamed(event.target);
  }

 private:
  struct Block {
    std::uint64_t end;
    std::uint64_t fresh;  ///< what its first address becomes
  };

  void allocate(const Event& event) {
    const std::uint64_t begin = event.target;
    const std::uint64_t end = begin + event.width;
    auto at = blocks_.upper_bound(begin);
    if (at != blocks_.begin()) --at;
    while (at != blocks_.end() && at->first < end) {
      const auto [old_begin, old] = *at;
      if (old.end <= begin) {
        ++at;
        continue;
      }
      at = blocks_.erase(at);
      if (old_begin < begin) blocks_[old_begin] = {begin, old.fresh};
      if (old.end > end) blocks_[end] = {old.end, old.fresh + (end - old_begin)};
    }
    blocks_[begin] = {end, next_ + begin % kAlignment};
    next_ += (event.width / kAlignment + 2) * kAlignment;
  }

  std::uint64_t renamed(std::uint64_t address) const {
    const auto behind = blocks_.upper_bound(address);
    if (behind == blocks_.begin()) return address;
    const auto& [begin, block] = *std::prev(behind);
    return address < block.end ? block.fresh + (address - begin) : address;
  }

  std::map<std::uint64_t, Block> blocks_;  ///< by first address; they do not overlap
  std::map<std::pair<ThreadId, std::uint64_t>, std::uint64_t> held_;
  std::uint64_t next_ = kFirst;
};

}  // namespace

SmallTrace with_fresh_memory(SmallTrace trace) {
  Renaming renaming;
  for (Event& event : trace.events) renaming.rename(event);
  return trace;
}

}  // namespace ravel
