#include "support/properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "witness/shrinker.h"

namespace ravel {

std::string Counterexample::text() const {
  return fmt::format("seed {}: {}\n{}", seed, failure, to_tiddle(trace));
}

Trials try_property(const Property& property, std::uint64_t seed, std::uint64_t traces,
                    const std::function<void(std::uint64_t)>& progress) {
  Trials trials;
  const std::uint64_t count = std::max<std::uint64_t>(1, traces / property.cost);
  for (std::uint64_t n = 0; n < count; ++n) {
    const std::uint64_t trace_seed = mix(seed, n);
    SmallTrace trace = random_trace(trace_seed, property.shape(trace_seed));
    const Outcome outcome = property.check(trace);
    ++trials.traces;
    trials.exercised += outcome.exercised;
    trials.events += trace.events.size();
    if (progress) progress(trials.traces);
    if (!outcome.failure) continue;
    trace = shrink(std::move(trace),
                   [&](const SmallTrace& smaller) { return property.check(smaller).failure.has_value(); });
    trials.counterexample = {trace_seed, *property.check(trace).failure, trace};
    break;
  }
  return trials;
}

std::uint64_t campaign_seed() {
  const char* text = std::getenv("RAVEL_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : 1;
}

}  // namespace ravel
