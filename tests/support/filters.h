// The filter levels as their definitions say, on small traces: what a recorder at that level leaves of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "witness/small_trace.h"

namespace ravel {

struct Filtered {
  SmallTrace trace;
  /// By index in trace.events: the position in the whole trace; of a retroactive access that of the access.
  std::vector<std::uint64_t> original;
  /// By index in the whole trace: the position of the event that is kept in its stead; its own if it is kept,
  /// 0 if none is.
  std::vector<std::uint64_t> stands_for;
  std::uint64_t dropped = 0;
};

/// A variable belongs to the first thread that accesses it; its accesses are dropped, but the last read and
/// the last write are remembered. When a second thread accesses or frees it, or when it is accessed
/// atomically, these two are reported as retroactive accesses first, and from then on the variable is shared.
/// An access to a shared variable is recorded if it is the thread's first one after another thread's, or its
/// first write. Those after it are dropped, and their last read and last write reported like the owner's when
/// the next thread comes; a repetition at the same local time is not even that. Memory that is allocated or
/// freed is new.
Filtered owner_filter(const SmallTrace& trace);

/// A plain access is dropped if the same thread did the same at the same local time, and no access by
/// another thread, and no atomic one, came in between.
Filtered segment_filter(const SmallTrace& trace);

}  // namespace ravel
