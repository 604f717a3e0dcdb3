// writes: counts the writes to each variable and tells when another thread joins in.
//
// Guarantee: none, locks and order are not looked at. Verdict: `suspected`.
#include <array>
#include <string>
#include <vector>

#include "analysis/analysis.h"

namespace ravel {
namespace {

class CountWrites final : public Analysis {
 public:
  Wants wants() const override { return {kWrites | kVariableLifetime, FilterLevel::None}; }

  void begin(const TraceContext& /*context*/, DetectionSink& sink) override { sink_ = &sink; }

  void consume(std::span<const Event> batch) override {
    for (const Event& event : batch) {
      if (is_write(event.kind)) write(at(event.variable()), event);
      if (event.kind == EventKind::Split) at(event.variable()) = State(at(event.split_from()));
      if (event.kind == EventKind::Retire) at(event.variable()) = {};
    }
  }

 private:
  struct State {
    std::uint64_t writes = 0;
    Involved last;
  };

  void write(State& state, const Event& event) {
    if (state.writes > 0 && state.last.thread != event.thread) {
      const std::array events = {state.last, Involved(event)};
      const std::string text = "write number " + std::to_string(state.writes + 1) + " is by another thread";
      sink_->report({.analysis = "writes",
                     .guarantee = {},
                     .variable = event.variable(),
                     .events = events,
                     .message = text});
    }
    state = {state.writes + 1, Involved(event)};
  }

  State& at(VariableId variable) {
    if (variable.index() >= states_.size()) states_.resize(variable.index() + 1);
    return states_[variable.index()];
  }

  DetectionSink* sink_ = nullptr;
  std::vector<State> states_;
};

const RegisterAnalysis kRegister({"writes", "variables that several threads write",
                                  "Counts writes. Verdict: suspected.", false, make<CountWrites>});

}  // namespace
}  // namespace ravel
