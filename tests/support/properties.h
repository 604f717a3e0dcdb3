// Properties that hold for every trace, tried on random ones: what the property tests and the long campaign
// share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "witness/generator.h"
#include "witness/small_trace.h"

namespace ravel {

/// What one trace said about a property.
struct Outcome {
  bool exercised = false;              ///< the trace had what the property is about (a race, for one)
  std::optional<std::string> failure;  ///< why it does not hold
};

struct Property {
  std::string_view name;
  std::string_view claim;
  TraceShape (*shape)(std::uint64_t seed);
  Outcome (*check)(const SmallTrace& trace);
  std::uint32_t cost = 1;  ///< one trace of this property for so many of a cheap one
};

/// About src/witness itself: generator, shrinker, checker, oracle, equivalents.
std::span<const Property> witness_properties();
/// About the analyses that find races.
std::span<const Property> race_properties();
/// About those that predict races.
std::span<const Property> predictive_properties();
/// About what the sync-preserving closure decides: races, deadlocks and witnesses.
std::span<const Property> sync_properties();

/// A property that failed, with the smallest trace found that shows it.
struct Counterexample {
  std::uint64_t seed = 0;
  std::string failure;
  SmallTrace trace;

  std::string text() const;  ///< with the trace as Tiddle
};

struct Trials {
  std::uint64_t traces = 0;
  std::uint64_t exercised = 0;
  std::uint64_t events = 0;
  std::optional<Counterexample> counterexample;
};

/// Tries the property on `traces` / cost random traces, up to the first failure. `progress` (may be empty)
/// gets the number of traces so far.
Trials try_property(const Property& property, std::uint64_t seed, std::uint64_t traces,
                    const std::function<void(std::uint64_t)>& progress = {});

/// The environment's RAVEL_SEED, or a fixed one.
std::uint64_t campaign_seed();

}  // namespace ravel
