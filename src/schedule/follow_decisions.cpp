// Follows decisions, one step each time. Where the run cannot do what they say, it departs from them: from
// there on, and when they are used up, the fallback chooses.
#include "schedule/strategies.h"

namespace ravel {
namespace {

class FollowDecisions final : public Strategy {
 public:
  FollowDecisions(std::span<const Decision> decisions, Strategy& fallback)
      : decisions_(decisions), fallback_(fallback) {}

  std::size_t choose(const Moment& now) override {
    if (departed_ || at_ == decisions_.size()) return fallback_.choose(now);
    const Decision& decision = decisions_.data()[at_];
    for (std::size_t i = 0; i < now.candidates.size(); ++i) {
      const Candidate& candidate = now.candidates.data()[i];
      if (candidate.path != decision.thread) continue;
      if (decision.has_kind && candidate.next != decision.kind) {
        return depart(now, operation_text(candidate.next));
      }
      if (++taken_ == decision.steps) {
        ++at_;
        taken_ = 0;
      }
      return i;
    }
    return depart(now, why_absent());
  }

  const Departure* departure() const override { return departed_ ? &departure_ : nullptr; }

 private:
  std::size_t depart(const Moment& now, std::string_view found) {
    const Decision& decision = decisions_.data()[at_];
    departure_ = {now.step, decision.thread,
                  decision.has_kind ? operation_text(decision.kind) : std::string_view("run"), found};
    departed_ = true;
    return fallback_.choose(now);
  }

  /// Why the thread cannot run, as far as what it has done so far tells.
  std::string_view why_absent() const {
    const Decision& wanted = decisions_.data()[at_];
    const Decision* last = taken_ != 0 ? &wanted : nullptr;
    for (std::size_t i = at_; last == nullptr && i > 0; --i) {
      if (decisions_.data()[i - 1].thread == wanted.thread) last = &decisions_.data()[i - 1];
    }
    if (last == nullptr) return "has not started";
    if (!last->has_kind) return "waits or has ended";
    return last->kind == OperationKind::Exit ? "has ended" : "waits";
  }

  std::span<const Decision> decisions_;
  Strategy& fallback_;
  std::size_t at_ = 0;       ///< the decision that is followed
  std::uint64_t taken_ = 0;  ///< steps of it that were taken
  Departure departure_;      ///< meaningful if departed_
  bool departed_ = false;
};

}  // namespace

Strategy* follow_decisions(const Schedule& schedule, Strategy& fallback, Arena& arena) {
  return arena.make<FollowDecisions>(schedule.decisions, fallback);
}

}  // namespace ravel
