// The sync-preserving closure and what it decides, straight from the definition (witness/sync_history.h):
// sets of events, and rules that are applied until nothing changes. And the class itself, by trying every
// correct reordering that keeps the order of sections.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "support/naive.h"
#include "witness/small_trace.h"

namespace ravel {

/// Pairs whose closure has neither of them.
Races sync_preserving_races(const SmallTrace& trace);

/// Pairs that are next at the same time after some correct reordering in which sections of one lock that
/// exclude each other are begun in the order of the trace.
Races races_of_sync_preserving_reorderings(const SmallTrace& trace);

/// Whether the closure of what the events at these positions need has none of them.
bool can_all_be_next(const SmallTrace& trace, std::span<const std::uint64_t> positions);

/// Every set of acquires by different threads, each of a lock that the next one holds, no lock held by two
/// of them, and all of which can be next at once.
std::set<std::set<std::uint64_t>> sync_preserving_deadlocks(const SmallTrace& trace);

}  // namespace ravel
