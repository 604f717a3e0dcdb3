// lockset: Eraser's locking discipline (Savage et al. 1997): every shared variable is protected by one lock
// throughout.
//
// Guarantee: none; it warns of variables whose accesses have no lock in common, also where fork, join,
// barriers or messages order them. Verdict: `suspected`. A write is protected by exclusively held locks only.
// Atomic accesses are not its matter.
#include "analysis/analysis.h"

namespace ravel {
namespace {

class Lockset final : public Analysis {
 public:
  Wants wants() const override {
    return {kPlainAccesses | kRetroAccesses | kVariableLifetime, FilterLevel::Segment};
  }

  void begin(const TraceContext& context, DetectionSink& sink) override {
    locksets_ = &context.locksets;
    sink_ = &sink;
  }

  void consume(std::span<const Event> batch) override {
    for (const Event& event : batch) {
      if (kPlainAccesses.has(event.kind)) {
        access(at(event.variable()), event);
      } else if (kRetroAccesses.has(event.kind)) {
        // It says whose the variable was while one thread alone accessed it; locks did not matter then.
        if (State& state = at(event.variable()); state.phase == Phase::Virgin) access(state, event);
      } else if (event.kind == EventKind::Split) {
        const State whole = at(event.split_from());
        at(event.variable()) = whole;
      } else if (event.kind == EventKind::Retire) {
        at(event.variable()) = {};
      }
    }
  }

 private:
  enum class Phase : std::uint8_t { Virgin, Exclusive, Shared, SharedModified, Reported };
  struct State {
    Phase phase = Phase::Virgin;
    LocksetId candidates;  ///< C(v): locks that protected every access since the variable became shared
    Involved last;         ///< the last access
    Involved other;        ///< the last access by another thread than that of `last`
  };

  void access(State& state, const Event& event) {
    const bool write = is_write(event.kind);
    switch (state.phase) {
      case Phase::Virgin:
        state.phase = Phase::Exclusive;
        break;
      case Phase::Exclusive:
        if (event.thread == state.last.thread) break;
        state.phase = write ? Phase::SharedModified : Phase::Shared;
        state.candidates = protecting(event, write);
        break;
      case Phase::Shared:
        if (write) state.phase = Phase::SharedModified;
        [[fallthrough]];
      case Phase::SharedModified:
        state.candidates = locksets_->intersect(state.candidates, protecting(event, write));
        break;
      case Phase::Reported:
        return;
    }
    if (state.last.thread.valid() && state.last.thread != event.thread) state.other = state.last;
    state.last = Involved(event);
    if (state.phase == Phase::SharedModified && state.candidates == LocksetTable::kEmpty) {
      const std::array events = {state.other, state.last};
      sink_->report({.kind = FindingKind::Race,
                     .verdict = Verdict::Suspected,
                     .analysis = "lockset",
                     .guarantee = "",
                     .variable = event.variable(),
                     .events = events});
      state.phase = Phase::Reported;
    }
  }

  LocksetId protecting(const Event& event, bool write) {
    return write ? locksets_->protecting_write(event.held()) : locksets_->protecting_read(event.held());
  }

  State& at(VariableId variable) {
    if (variable.index() >= states_.size())
      states_.resize(std::max(variable.index() + 1, states_.size() * 2));
    return states_[variable.index()];
  }

  LocksetTable* locksets_ = nullptr;
  DetectionSink* sink_ = nullptr;
  std::vector<State> states_;
};

const RegisterAnalysis kRegister({
    .name = "lockset",
    .summary = "variables that no lock protects throughout (Eraser)",
    .explain = "Warns of a variable that several threads access and at least one writes after it became "
               "shared, when no lock\n"
               "was held at all those accesses. Verdict: suspected. Ordering by fork, join, barriers or "
               "hand-over is not\n"
               "understood, so correct programs are warned of too.",
    .by_default = false,
    .make = make<Lockset>,
});

}  // namespace
}  // namespace ravel
