// hb: happens-before races (Sadowski 2012, ch. 8), with FastTrack's epochs (Flanagan and Freund 2009).
//
// Guarantee: two clashing accesses are reported only if no chain of synchronization orders them in the
// recorded run, so the run itself contains the race: `observed`. The proof does not use the order in which
// the two accesses were recorded. Every event that is the second of a happens-before race is reported as
// such. Assumption: all synchronization of the program is in the trace. What is ordered only by the accident
// of this run's lock order is missed: that is what the predictive analyses are for.
#include "analysis/analysis.h"
#include "analysis/race_history.h"
#include "analysis/resolver.h"
#include "analysis/sync_clocks.h"

namespace ravel {
namespace {

class HappensBefore final : public Analysis, RaceHistory::Observer {
 public:
  Wants wants() const override { return {kAccesses | SyncClocks::kKinds, FilterLevel::Owner}; }

  void begin(const TraceContext& /*context*/, DetectionSink& sink) override { sink_ = &sink; }

  void consume(std::span<const Event> batch) override {
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (i + 2 * kAhead < batch.size() && is_access(batch[i + 2 * kAhead].kind))
        history_.prefetch(batch[i + 2 * kAhead].variable());
      if (i + kAhead < batch.size() && is_access(batch[i + kAhead].kind))
        history_.prefetch_lists(batch[i + kAhead].variable());
      const Event& event = batch[i];
      if (event.kind == EventKind::Read) {
        const SyncClocks::Now now = clocks_.now(event.thread);
        history_.read(event, now.epoch, now.clock, *this);
      } else if (event.kind == EventKind::Write) {
        const SyncClocks::Now now = clocks_.now(event.thread);
        if (history_.write(event, now.epoch, now.clock, *this)) clocks_.plain_write(event);
      } else if (is_atomic(event.kind)) {
        const std::size_t parts = count_parts(batch, i);
        if (parts == 1) {
          clocks_.before_atomic(event);
          const SyncClocks::Now now = clocks_.now(event.thread);
          history_.atomic(event, now.epoch, now.clock, *this);
          clocks_.after_atomic(event);
          if (kTimeSteps.has(event.kind)) clocks_.tick(event.thread);
          continue;
        }
        atomic(batch.subspan(i, parts));
        i += parts - 1;
      } else {
        other(event);
      }
    }
  }

 private:
  void other(const Event& event) {
    switch (event.kind) {
      case EventKind::RetroRead:
      case EventKind::RetroWrite:
        history_.remember(event, Epoch(event.thread, static_cast<Time>(event.value)));
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

  /// One atomic access: what any part of it acquires counts for all of it, and all of it is before what it
  /// releases.
  void atomic(std::span<const Event> parts) {
    for (const Event& part : parts) {
      if (is_atomic(part.kind))
        clocks_.before_atomic(part);
      else
        other(part);
    }
    const ThreadId t = parts.front().thread;
    for (const Event& part : parts)
      if (is_atomic(part.kind)) history_.atomic(part, clocks_.epoch(t), clocks_.clock(t), *this);
    bool step = false;
    for (const Event& part : parts) {
      if (!is_atomic(part.kind)) continue;
      clocks_.after_atomic(part);
      step |= kTimeSteps.has(part.kind);
    }
    if (step) clocks_.tick(t);
  }

  void race(const Involved& first, Epoch /*when*/, const Event& second) override {
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
