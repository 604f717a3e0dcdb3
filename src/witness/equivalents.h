// All traces equivalent to a trace (Sadowski 2012, 7.3 and 24.6): those one gets by swapping adjacent
// operations that do not conflict, each exactly once.
//
// Sadowski's conflicts are program order and operations on one lock. Equivalent traces shall also behave the
// same, and that takes more than equal happens-before: a read must see the same write. So clashing accesses,
// also atomic ones, keep their order here too. Fork and join conflict with the thread they name, operations
// on one condition with each other, arrivals at a barrier with departures from it, and Alloc and Free with
// everything in their block. Two reader sections of a lock, two reads, and requests conflict with nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "witness/small_trace.h"

namespace ravel {

/// Whether swapping the two operations could change the behaviour.
bool conflict(const Event& a, const Event& b);

struct EquivalentsCount {
  std::uint64_t traces = 0;  ///< given to the visitor
  bool complete = true;      ///< false: the limit was reached, or the visitor stopped
};

/// Calls `visit` with the positions of each equivalent trace in order, the trace itself first, until there
/// are no more, `limit` were given, or it returns false.
EquivalentsCount for_each_equivalent(const SmallTrace& trace, std::uint64_t limit,
                                     const std::function<bool(std::span<const std::uint64_t>)>& visit);

}  // namespace ravel
