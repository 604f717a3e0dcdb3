// WitnessSearch: a pass over a trace that finds, for each goal, how far every thread must run so that the
// goal's events are next: the sync-preserving closure of what they need (trace_closure.h).
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/certain_order.h"
#include "analysis/trace_closure.h"
#include "witness/witness.h"

namespace ravel {

class WitnessSearch final : public Analysis {
 public:
  /// A cut, or why there is none.
  using Found = std::expected<Cut, std::string>;

  /// `found` (not owned) is complete at the end of the pass; one for each goal.
  WitnessSearch(std::vector<WitnessGoal> goals, std::vector<Found>& found);

  Wants wants() const override { return {KindMask::all(), FilterLevel::Segment}; }
  void begin(const TraceContext& context, DetectionSink& sink) override;
  void consume(std::span<const Event> batch) override;
  Finish finish() override;

 private:
  Found find(const WitnessGoal& goal);

  std::vector<WitnessGoal> goals_;
  std::vector<Found>& found_;
  bool enough_ = true;  ///< the trace has what the closure needs
  CertainOrder order_;
  std::unique_ptr<TraceClosure> closure_;
  std::vector<ThreadId> threads_;  ///< that have acted or were forked
  boost::unordered_flat_map<std::uint64_t, ThreadId> thread_of_;  ///< by position of an event of a goal
};

}  // namespace ravel
