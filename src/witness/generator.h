// Random small traces for tests and campaigns: a deterministic function of a seed and a shape, the same on
// every machine.
//
// Every trace is well-formed (event/well_formed.h), none has re-entrant acquires, barriers are left only when
// full, waits end only after a notify, and freed memory is not used.
#pragma once

#include <cstdint>

#include "witness/small_trace.h"

namespace ravel {

/// What a random trace may contain. Everything beyond plain accesses and exclusive locks is off by default.
struct TraceShape {
  std::uint32_t threads = 3;
  std::uint32_t locks = 2;
  std::uint32_t variables = 2;
  std::uint32_t events = 12;     ///< a few more where sections are closed at the end
  std::uint32_t locks_held = 2;  ///< at most, by one thread
  bool nested_releases = true;   ///< locks are released innermost first
  bool open_sections = true;     ///< some threads still hold locks, or are in a unit, at the end
  bool reader_locks = false;
  bool guarded = false;  ///< each variable has a lock, and few accesses are without it
  bool forks = false;    ///< and joins
  bool units = false;
  bool atomics = false;   ///< and fences
  bool barriers = false;  ///< one, for two threads
  bool waits = false;     ///< one condition
  bool blocks = false;    ///< variables are freed and allocated again
  bool requests = false;  ///< acquires are announced
  bool tries = false;     ///< some locks are only tried
  bool widths = false;    ///< accesses to parts of a variable; there are no values then
  bool values = false;
};

SmallTrace random_trace(std::uint64_t seed, const TraceShape& shape);

/// A well-mixed number from two; also how a campaign derives the seed of its n-th trace.
std::uint64_t mix(std::uint64_t seed, std::uint64_t n);

}  // namespace ravel
