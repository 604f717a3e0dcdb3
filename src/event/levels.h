// How much of a run a recording holds. A trace's header says it, and the runtime that made it.
#pragma once

#include <cstdint>

namespace ravel {

/// Which accesses the recorder dropped at the source.
enum class FilterLevel : std::uint8_t { None, Segment, Owner, All };
/// Whether the order of two unsynchronised accesses in the trace is their real order, or that of the hooks
/// before them.
enum class AccessOrder : std::uint8_t { Exact, Hook };
enum class ValueLevel : std::uint8_t { Exact, Sampled, None };

}  // namespace ravel
