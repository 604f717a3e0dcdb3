// The filter level `owner` as its definition says, on small traces: what a recorder at that level leaves of a
// run.
//
// A variable belongs to the first thread that accesses it; its accesses are dropped, but the last read and
// the last write are remembered. When a second thread accesses or frees it, or when it is accessed
// atomically, these two are reported as retroactive accesses first, and from then on the variable is shared.
// An access to a shared variable is dropped if the same thread did the same to it at the same local time and
// no other thread accessed it in between. Memory that is allocated or freed is new.
#pragma once

#include <cstdint>
#include <vector>

#include "witness/small_trace.h"

namespace ravel {

struct OwnerFiltered {
  SmallTrace trace;
  /// By index in trace.events: the position in the whole trace; of a retroactive access that of the access.
  std::vector<std::uint64_t> original;
  /// By index in the whole trace: the position of the event that is kept in its stead; its own if it is kept,
  /// 0 if none is.
  std::vector<std::uint64_t> stands_for;
  std::uint64_t dropped = 0;
};

OwnerFiltered owner_filter(const SmallTrace& trace);

}  // namespace ravel
