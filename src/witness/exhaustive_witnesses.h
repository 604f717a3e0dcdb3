// ExhaustiveWitnesses: witnesses in traces of a few dozen events, by trying all correct reorderings. They may
// have critical sections in another order than the trace.
#pragma once

#include <optional>

#include "trace/reader.h"
#include "witness/oracle.h"
#include "witness/witness.h"

namespace ravel {

class ExhaustiveWitnesses {
 public:
  /// Reads the rest of the trace. Nothing: it is too long, or does not say enough for a proof by itself.
  static std::optional<ExhaustiveWitnesses> of(TraceReader& trace);

  /// A checked one, if there is any.
  std::optional<Witness> find(const WitnessGoal& goal) const;

 private:
  ExhaustiveWitnesses(SmallTrace trace, Oracle oracle)
      : trace_(std::move(trace)), oracle_(std::move(oracle)) {}

  std::optional<std::vector<std::uint64_t>> find_deadlock(const WitnessGoal& goal) const;

  SmallTrace trace_;
  Oracle oracle_;
};

}  // namespace ravel
