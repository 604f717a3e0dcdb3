// CertainOrder: how far into a trace the order of its accesses is known.
//
// A trace in the order of the recorder's hooks (AccessOrder::Hook) has two accesses that nothing orders in an
// order that need not be theirs. As long as the run has had no happens-before race, there are no such
// accesses that matter: every read saw the last write before it. So what is proved from the events before the
// second one of the first race holds; what uses more is only suspected.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "analysis/analysis.h"

namespace ravel {

class CertainOrder final : DetectionSink {
 public:
  /// At the beginning of a pass over the trace.
  void start(const TraceContext& context) {
    hb_.reset();
    first_race_ = UINT64_MAX;
    if (context.header.access_order == AccessOrder::Exact) return;
    hb_ = (*find_analyses("hb")).front()->make();
    hb_->begin(context, *this);
  }
  void consume(std::span<const Event> batch) {
    if (hb_) hb_->consume(batch);
  }
  /// Whether all that the trace has before `position` is in its real order, as far as it matters. Ask when
  /// the batch with that position was consumed.
  bool holds_before(std::uint64_t position) const { return position <= first_race_; }

 private:
  void report(const Detection& detection) override {
    first_race_ = std::min(first_race_, detection.events.back().position);
  }

  std::unique_ptr<Analysis> hb_;  ///< null: the order is exact
  std::uint64_t first_race_ = UINT64_MAX;
};

}  // namespace ravel
