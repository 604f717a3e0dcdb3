// Happens-before and its variants straight from their definitions: every edge, then the closure over all
// pairs. Slow and obvious; what the analyses with clocks are compared to.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "witness/small_trace.h"

namespace ravel {

/// Pairs of events by index, earlier one first.
using Edges = std::set<std::pair<std::size_t, std::size_t>>;
/// Pairs of positions, earlier one first.
using Races = std::set<std::pair<std::uint64_t, std::uint64_t>>;

/// Program order, release-acquire order (Sadowski 2012, Definition 2; readers of a lock are not ordered among
/// themselves), fork and join, barriers, and what synchronizes in C++20: release operations and fences with
/// acquire operations and fences, through the writes they leave and read and the release sequences these
/// head. Conditions add nothing.
Edges happens_before_edges(const SmallTrace& trace);

/// Program order alone.
Edges program_order(const SmallTrace& trace);
/// Release-acquire order alone.
Edges release_acquire_edges(const SmallTrace& trace);
/// The rest of happens-before: fork and join, barriers, atomics.
Edges base_edges(const SmallTrace& trace);

/// From the write each read saw, byte by byte, to the read.
Edges reads_from_edges(const SmallTrace& trace);

/// closure[i][j]: a path of edges leads from i to j.
std::vector<std::vector<bool>> closure(std::size_t events, const Edges& edges);

/// Whether the events at i and j, i < j, use a common byte in one lifetime of its memory.
bool same_lifetime(const SmallTrace& trace, std::size_t i, std::size_t j);

/// Clashing pairs (in one lifetime of their memory) that happens-before does not order.
Races happens_before_races(const SmallTrace& trace);
/// The same for happens-before with the reads-from edges, where a read's own incoming edges do not count for
/// its races.
Races schedulable_races(const SmallTrace& trace);

}  // namespace ravel
