// hb: happens-before races (Sadowski 2012, ch. 8), with FastTrack's epochs (Flanagan and Freund 2009).
//
// Guarantee: two clashing accesses are reported only if no chain of synchronization orders them in the
// recorded run, so the run itself contains the race: `observed`. The proof does not use the order in which
// the two accesses were recorded. Every event that is the second of a happens-before race is reported as
// such. Assumption: all synchronization of the program is in the trace. What is ordered only by the accident
// of this run's lock order is missed: that is what the predictive analyses are for.
#include "analysis/analysis.h"
#include "analysis/race_history.h"
#include "analysis/sync_clocks.h"

namespace ravel {
namespace {

class HappensBefore final : public Analysis, RaceHistory::Observer {
 public:
  Wants wants() const override { return {kAccesses | SyncClocks::kKinds, FilterLevel::Owner}; }

  void begin(const TraceContext& /*context*/, DetectionSink& sink) override { sink_ = &sink; }

  void consume(std::span<const Event> batch) override {
    constexpr std::size_t kAhead = 12;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (i + kAhead < batch.size() && is_access(batch[i + kAhead].kind))
        history_.prefetch(batch[i + kAhead].variable());
      consume(batch[i]);
    }
  }

 private:
  void consume(const Event& event) {
    const ThreadId t = event.thread;
    switch (event.kind) {
      case EventKind::Read:
        history_.read(event, clocks_.epoch(t), clocks_.clock(t), *this);
        return;
      case EventKind::Write:
        history_.write(event, clocks_.epoch(t), clocks_.clock(t), *this);
        return;
      case EventKind::AtomicLoad:
      case EventKind::AtomicStore:
      case EventKind::AtomicRmw:
        clocks_.before_atomic(event);
        history_.atomic(event, clocks_.epoch(t), clocks_.clock(t), *this);
        clocks_.after_atomic(event);
        return;
      case EventKind::RetroRead:
      case EventKind::RetroWrite:
        history_.remember(event, Epoch(t, static_cast<Time>(event.value)));
        return;
      case EventKind::Split:
        history_.split(event);
        break;
      case EventKind::Retire:
        history_.retire(event);
        break;
      default:
        break;
    }
    clocks_.consume(event);
  }

  void race(const Involved& first, const Event& second) override {
    const std::array events = {first, Involved(second)};
    sink_->report({.kind = FindingKind::Race,
                   .verdict = Verdict::Observed,
                   .analysis = "hb",
                   .guarantee = "no synchronization orders the two accesses in the recorded run",
                   .variable = second.variable(),
                   .events = events});
  }

  DetectionSink* sink_ = nullptr;
  SyncClocks clocks_;
  RaceHistory history_;
};

const RegisterAnalysis kRegister({
    .name = "hb",
    .summary = "happens-before races of the recorded run",
    .explain = "Reports two accesses to the same memory, at least one a write and not both atomic, that no "
               "chain of\n"
               "synchronization (program order, locks, fork and join, barriers, release and acquire) orders "
               "in the recorded\n"
               "run. Verdict: observed. Assumes that all synchronization of the program is in the trace. "
               "Misses races that\n"
               "this run's order of lock operations happens to hide.",
    .by_default = true,
    .make = make<HappensBefore>,
});

}  // namespace
}  // namespace ravel
