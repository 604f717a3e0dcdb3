// Shrinking: the smallest trace one can reach by deleting events that still fails a test.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "witness/small_trace.h"

namespace ravel {

/// What a trace must obey beyond well_formed.h to be one that the generator could make: no re-entrant
/// acquire, every departure of a barrier and end of a wait has its beginning, freed memory is not used.
/// Empty: it obeys.
std::optional<std::string> generator_rule_broken(const SmallTrace& trace);

/// Deletes threads, locks, variables, sections and single events as long as the trace obeys the rules and
/// `fails` says true. Positions are renumbered and values of reads made consistent again. `fails(trace)` must
/// hold.
SmallTrace shrink(SmallTrace trace, const std::function<bool(const SmallTrace&)>& fails);

}  // namespace ravel
