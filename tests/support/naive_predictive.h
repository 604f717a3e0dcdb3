// Causally-precedes, WCP and must-before straight from their definitions.
#pragma once

#include "support/naive.h"
#include "witness/small_trace.h"

namespace ravel {

/// Sadowski 2012, Definition 5, with fork, join, barriers (also from the arrivals of a round to those of the
/// next) and atomics as edges of happens-before and of the relation: clashing pairs that it leaves unordered.
/// An open section ends with its thread. Two sections are ordered by it only if at least one is exclusive.
/// For rule (a) two atomic accesses clash, too.
Races causally_precedes_races(const SmallTrace& trace);

/// The weaker relation of Kini et al. 2017: from the release of the earlier section to the later clashing
/// access (rule a), and from release to release (rule b).
Races weakly_causally_precedes_races(const SmallTrace& trace);

/// The first race (smallest second event, then latest first event); with it as an edge of happens-before and
/// of causally-precedes the next first one; and so on until there are none.
std::vector<std::pair<std::uint64_t, std::uint64_t>> causally_precedes_races_one_by_one(
    const SmallTrace& trace);
std::vector<std::pair<std::uint64_t, std::uint64_t>> weakly_causally_precedes_races_one_by_one(
    const SmallTrace& trace);

/// Sadowski 2012, Definition 8, with strict program order in the condition for a race; all sections count as
/// ended. The order of clashing accesses includes atomic ones; fork, join and barriers are edges, too.
Races must_before_races(const SmallTrace& trace);

}  // namespace ravel
