#include "trace/rvl_limits.h"

#include <fmt/format.h>

namespace ravel::rvl {

KindLimits kind_limits(const Tables& tables) {
  constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
  KindLimits limits{};
  for (int i = 0; i < kEventKindCount; ++i) {
    const TargetSpace space = target_space(static_cast<EventKind>(i));
    KindLimit& limit = limits[static_cast<std::size_t>(i)];
    limit.space = static_cast<std::uint8_t>(space);
    switch (space) {
      case TargetSpace::Variable:
      case TargetSpace::Lock:
      case TargetSpace::Condition:
      case TargetSpace::Barrier:
        // Real addresses stay below the top bit; the synthetic ones of this space come right above it.
        limit.flip = synthetic_address(space, 0) ^ kTopBit;
        limit.limit = kTopBit + (std::uint64_t{tables.names(space).size()} << 4);
        break;
      case TargetSpace::Thread:
      case TargetSpace::Unit:
        limit.limit = tables.names(space).size();
        break;
      case TargetSpace::Range:
      case TargetSpace::None:
        limit.limit = ~std::uint64_t{0};
        break;
    }
  }
  return limits;
}

std::string unknown_name(const Event& event, const Tables& tables) {
  if (static_cast<int>(event.kind) >= kEventKindCount) {
    return fmt::format("event kind {}", static_cast<int>(event.kind));
  }
  if (event.thread.index() >= tables.threads.size()) return fmt::format("thread {}", event.thread.value);
  if (event.place.valid() && event.place.index() >= tables.places.size()) {
    return fmt::format("place {}", event.place.value);
  }
  if (event.stack.valid() && event.stack.index() >= tables.stacks.size()) {
    return fmt::format("stack {}", event.stack.value);
  }
  const auto unknown_unit = [&](std::uint64_t unit) {
    return unit >= tables.units.size() && unit != UnitId::kNone;
  };
  if (event.kind == EventKind::ObjectBegin && event.has_value && unknown_unit(event.value)) {
    return fmt::format("class {}", event.value);
  }
  const TargetSpace space = target_space(event.kind);
  switch (space) {
    case TargetSpace::Variable:
    case TargetSpace::Lock:
    case TargetSpace::Condition:
    case TargetSpace::Barrier: {
      const std::uint64_t offset = event.target - synthetic_address(space, 0);
      const std::uint64_t limit = std::uint64_t{tables.names(space).size()} << 4;
      return is_synthetic(event.target) && offset >= limit ? fmt::format("address {:#x}", event.target) : "";
    }
    case TargetSpace::Thread:
      return event.target >= tables.threads.size() ? fmt::format("target thread {}", event.target) : "";
    case TargetSpace::Unit:
      return unknown_unit(event.target) ? fmt::format("unit {}", event.target) : "";
    case TargetSpace::Range:
    case TargetSpace::None:
      break;
  }
  return {};
}

std::string unknown_name(std::span<const Event> events, const Tables& tables) {
  const KindLimits limits = kind_limits(tables);
  const auto threads = static_cast<std::uint32_t>(tables.threads.size());
  const auto places = static_cast<std::uint32_t>(tables.places.size());
  const auto stacks = static_cast<std::uint32_t>(tables.stacks.size());
  for (const Event& event : events) {
    const KindLimit& limit = limits[static_cast<std::size_t>(event.kind) % limits.size()];
    // One more than the id: that of an unknown one is zero.
    if (event.place.value + 1 <= places && event.stack.value + 1 <= stacks && event.thread.value < threads &&
        !limit.suspects(event.target) && event.kind != EventKind::ObjectBegin) [[likely]]
      continue;
    if (std::string name = unknown_name(event, tables); !name.empty()) return name;
  }
  return {};
}

}  // namespace ravel::rvl
