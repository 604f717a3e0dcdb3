// mb: races of the must-before relation, as Embracer finds them (Sadowski 2012, ch. 14 to 16), with its
// embedded happens-before detector.
//
// Guarantee: none; a race it reports may be impossible (Figure 12.2). Verdict: `suspected`. Every event that
// is the second of a must-before race is reported as such. Clashing accesses are orders of the relation, also
// unsynchronised ones, so races that follow another one can be hidden from it: that is what the embedded
// detector is for (16.3). Atomic accesses are volatile ones, whatever their order. The owner filter drops
// what happens-before and a clash order together, which must-before does not: it needs more of a trace.
//
// What is clashing is decided when no section is open (MustBefore), or after 1048576 events at the latest; an
// order of a section that is still open may be missed then. Of traces with very many sections or threads the
// older clocks are kept less exactly, which can hide races, and of 16777216 sections the older half is
// forgotten, which can make some up.
#include "analysis/mb.h"

#include <array>

#include "analysis/must_before.h"
#include "analysis/resolver.h"
#include "analysis/retired_variables.h"

namespace ravel {
namespace {

class EmbeddedSink final : public DetectionSink {
 public:
  void set(DetectionSink& sink) { sink_ = &sink; }
  void report(const Detection& detection) override {
    Detection suspected = detection;
    suspected.analysis = "mb";
    suspected.verdict = Verdict::Suspected;
    suspected.guarantee = {};
    sink_->report(suspected);
  }

 private:
  DetectionSink* sink_ = nullptr;
};

class MustBeforeRaces final : public Analysis {
 public:
  MustBeforeRaces() : MustBeforeRaces(MbOptions{}) {}
  explicit MustBeforeRaces(const MbOptions& options) : options_(options) {
    if (options.embedded_hb) hb_ = find_analyses("hb")->front()->make();
  }

  Wants wants() const override { return {kWanted, FilterLevel::Segment}; }

  void begin(const TraceContext& context, DetectionSink& sink) override {
    sink_ = &sink;
    variables_ = &context.variables;
    if (context.header.filter == FilterLevel::Owner) state_.expect_late_accesses();
    hb_sink_.set(sink);
    if (hb_) hb_->begin(context, hb_sink_);
  }

  void consume(std::span<const Event> batch) override {
    if (hb_) hb_->consume(batch);
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < batch.size();) {
      if (i + kAhead < batch.size() && is_access(batch[i + kAhead].kind))
        state_.prefetch(batch[i + kAhead].variable());
      const Event& event = batch[i];
      std::size_t parts = 1;
      if (is_access(event.kind)) {
        parts = count_parts(batch, i);
        if (parts > 1)
          for (const Event& part : batch.subspan(i, parts)) retire(part);
        state_.access(batch.subspan(i, parts));
      } else if (kVariableLifetime.has(event.kind)) {
        retire(event);
        state_.lifetime(event);
      } else {
        state_.synchronize(event);
      }
      i += parts;
      undecided_ += parts;
      if (state_.closed() ? undecided_ >= options_.min_events
                          : undecided_ >= options_.max_events || state_.full())
        decide();
    }
  }

  Finish finish() override {
    decide();
    if (hb_) hb_->finish();
    return Finish::Done;
  }

 private:
  static constexpr KindMask kWanted =
      KindMask::of(EventKind::Acquire, EventKind::Release, EventKind::AcquireShared, EventKind::ReleaseShared,
                   EventKind::Fork, EventKind::Join, EventKind::BarrierEnter, EventKind::BarrierExit,
                   EventKind::Fence, EventKind::WaitEnd, EventKind::Notify, EventKind::NotifyAll) |
      kAccesses | kVariableLifetime | kToldOrder;

  void retire(const Event& event) {
    if (event.kind == EventKind::Retire)
      retired_.add(event.position, event.variable(), variables_->address(event.variable()));
  }

  void decide() {
    for (const MustBefore::Pair& pair : state_.settle()) {
      const std::array events = {pair.first, pair.second};
      sink_->report({.kind = FindingKind::Race,
                     .verdict = Verdict::Suspected,
                     .analysis = "mb",
                     .guarantee = "",
                     .variable = pair.variable,
                     .events = events,
                     .address = retired_.address(pair.variable, pair.second.position)});
    }
    undecided_ = 0;
    retired_.clear();
  }

  const MbOptions options_;
  DetectionSink* sink_ = nullptr;
  const Variables* variables_ = nullptr;
  std::unique_ptr<Analysis> hb_;
  EmbeddedSink hb_sink_;
  MustBefore state_;
  std::size_t undecided_ = 0;  ///< events since the last decision
  RetiredVariables retired_;
};

const RegisterAnalysis kRegister({
    .name = "mb",
    .summary = "races that another order of sections may show (must-before, Embracer)",
    .explain =
        "Orders two critical sections of a lock only if the beginning of the first must come before the end "
        "of "
        "the second,\n"
        "because of clashing accesses or otherwise; what is left unordered may race in another run. Also "
        "reports "
        "the races\n"
        "of hb. Verdict: suspected: it can be wrong, because it does not ask whether the sections can really "
        "change places.\n"
        "cp and wcp say less, but can promise it.",
    .by_default = false,
    .make = make<MustBeforeRaces>,
});

}  // namespace

std::unique_ptr<Analysis> make_mb(const MbOptions& options) {
  return std::make_unique<MustBeforeRaces>(options);
}

}  // namespace ravel
