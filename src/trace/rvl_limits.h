// Which references of an event to names are good. Who writes a trace and who reads one both ask.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "event/event.h"
#include "trace/tables.h"

namespace ravel::rvl {

/// The first reference of `event` to a name that `tables` does not have, as a sentence; empty: all are known.
/// A place, a stack and a unit may be unknown (an invalid id), an address need not have a name unless it is a
/// synthetic one.
std::string unknown_name(const Event& event, const Tables& tables);

/// The same for the first event that has one.
std::string unknown_name(std::span<const Event> events, const Tables& tables);

/// A quick test of one kind's targets: good are those with (target ^ flip) < limit. It may suspect a good
/// one; unknown_name() has the last word.
struct KindLimit {
  std::uint64_t flip = 0;
  std::uint64_t limit = 0;  ///< so an unknown kind is always suspect
  std::uint8_t space = static_cast<std::uint8_t>(TargetSpace::None);

  bool suspects(std::uint64_t target) const { return (target ^ flip) >= limit; }
};
using KindLimits = std::array<KindLimit, 64>;

KindLimits kind_limits(const Tables& tables);

}  // namespace ravel::rvl
