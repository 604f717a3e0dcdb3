// shb: schedulable happens-before races (Mathur, Kini, Viswanathan 2018): happens-before plus an edge from
// every write to the reads that saw it.
//
// Guarantee: for every pair it reports there is a correct reordering of the trace in which the two accesses
// are side by side: each is real by itself, not only the first one, which is all that hb can promise once the
// program has branched on a racy value. Verdict: `observed`, since both accesses are unordered in the
// recorded run too. Assumption: as hb; and that the order of accesses in the trace is exact, because the edge
// goes to the last write before the read: with `access_order = hook` findings are `suspected`.
#include <memory>

#include "analysis/analysis.h"
#include "analysis/race_history.h"
#include "analysis/resolver.h"
#include "analysis/sync_clocks.h"

namespace ravel {
namespace {

class SchedulableHappensBefore final : public Analysis, RaceHistory::Observer {
 public:
  Wants wants() const override { return {kAccesses | SyncClocks::kKinds, FilterLevel::None}; }

  void begin(const TraceContext& context, DetectionSink& sink) override {
    sink_ = &sink;
    exact_ = context.header.access_order == AccessOrder::Exact;
  }

  void consume(std::span<const Event> batch) override {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!is_access(batch[i].kind)) {
        consume(batch[i]);
        continue;
      }
      const std::size_t parts = count_parts(batch, i);
      access(batch.subspan(i, parts));
      i += parts - 1;
    }
  }

 private:
  /// LW_x: the writer's clock at the last write. Shared by all writes between two changes of the writer's
  /// clock, except for the writer's own entry, which is the epoch's.
  struct LastWrite {
    Epoch epoch;
    std::shared_ptr<const VectorClock> others;
  };

  /// One access, perhaps in parts. All of them are checked before any edge from a write that it saw counts,
  /// and remembered at the same time.
  void access(std::span<const Event> parts) {
    const ThreadId t = parts.front().thread;
    for (const Event& part : parts) {
      if (is_atomic(part.kind)) {
        clocks_.before_atomic(part);
        changed(t);
      } else if (part.kind == EventKind::Split) {
        consume(part);
      }
    }
    for (const Event& part : parts) check(part);
    for (const Event& part : parts)
      if (part.kind == EventKind::Read || part.kind == EventKind::AtomicLoad ||
          part.kind == EventKind::AtomicRmw)
        saw_last_write(part);
    for (const Event& part : parts) {
      if (is_atomic(part.kind)) clocks_.after_atomic(part);
      if (is_write(part.kind) && !kRetroAccesses.has(part.kind)) wrote(part);
      if (part.kind == EventKind::Retire) consume(part);
    }
  }

  void check(const Event& event) {
    const ThreadId t = event.thread;
    switch (event.kind) {
      case EventKind::Read:
        history_.read(event, clocks_.epoch(t), clocks_.clock(t), *this);
        return;
      case EventKind::Write:
        if (history_.write(event, clocks_.epoch(t), clocks_.clock(t), *this)) clocks_.plain_write(event);
        return;
      case EventKind::AtomicLoad:
      case EventKind::AtomicStore:
      case EventKind::AtomicRmw:
        history_.atomic(event, clocks_.epoch(t), clocks_.clock(t), *this);
        return;
      case EventKind::RetroRead:
      case EventKind::RetroWrite:
        history_.remember(event, Epoch(t, static_cast<Time>(event.value)));
        return;
      default:
        return;
    }
  }

  /// Any event that is no access.
  void consume(const Event& event) {
    switch (event.kind) {
      case EventKind::Split: {
        history_.split(event);
        const LastWrite whole = last_write(event.split_from());
        last_write(event.variable()) = whole;
        break;
      }
      case EventKind::Retire:
        history_.retire(event);
        last_write(event.variable()) = {};
        break;
      case EventKind::Fork:
        changed(event.other_thread());
        break;
      default:
        changed(event.thread);
        break;
    }
    clocks_.consume(event);
  }

  void saw_last_write(const Event& event) {
    const LastWrite& last = last_write(event.variable());
    if (last.epoch.none() || clocks_.clock(event.thread).covers(last.epoch)) return;
    VectorClock clock = *last.others;
    clock.set(last.epoch.thread(), last.epoch.time());
    clocks_.join(event.thread, clock);
    changed(event.thread);
  }

  void wrote(const Event& event) {
    const ThreadId t = event.thread;
    if (t.index() >= snapshots_.size()) snapshots_.resize(t.index() + 1);
    std::shared_ptr<const VectorClock>& snapshot = snapshots_[t.index()];
    if (!snapshot) snapshot = std::make_shared<const VectorClock>(clocks_.clock(t));
    last_write(event.variable()) = {clocks_.epoch(t), snapshot};
    clocks_.tick(t);  // a reader of this write is not ordered after what the writer does next
  }

  void changed(ThreadId thread) {
    if (thread.index() < snapshots_.size()) snapshots_[thread.index()].reset();
  }

  LastWrite& last_write(VariableId variable) {
    if (variable.index() >= last_writes_.size())
      last_writes_.resize(std::max(variable.index() + 1, last_writes_.size() * 2));
    return last_writes_[variable.index()];
  }

  void race(const Involved& first, Epoch /*when*/, const Event& second) override {
    const std::array events = {first, Involved(second)};
    sink_->report({.kind = FindingKind::Race,
                   .verdict = exact_ ? Verdict::Observed : Verdict::Suspected,
                   .analysis = "shb",
                   .guarantee = exact_ ? "a correct reordering runs the two accesses side by side" : "",
                   .variable = second.variable(),
                   .events = events});
  }

  DetectionSink* sink_ = nullptr;
  bool exact_ = true;
  SyncClocks clocks_;
  RaceHistory history_;
  std::vector<LastWrite> last_writes_;  ///< by variable
  std::vector<std::shared_ptr<const VectorClock>>
      snapshots_;  ///< by thread; null: its clock has changed since
};

const RegisterAnalysis kRegister({
    .name = "shb",
    .summary = "happens-before races that are real each by itself, not only the first",
    .explain = "Happens-before, plus an edge from every write to the reads that saw it. Every pair it "
               "reports can be run side\n"
               "by side in a correct reordering of the recorded run, also after the first race. Verdict: "
               "observed; suspected\n"
               "if the trace does not have the exact order of accesses.",
    .by_default = false,
    .make = make<SchedulableHappensBefore>,
});

}  // namespace
}  // namespace ravel
