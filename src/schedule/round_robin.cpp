// round-robin: another thread at every point, all of them in turn.
#include "schedule/strategies.h"

namespace ravel {
namespace {

class RoundRobin final : public Strategy {
 public:
  std::size_t choose(const Moment& now) override {
    const Candidate* candidates = now.candidates.data();
    if (now.current != Moment::kNobody) last_ = candidates[now.current].thread;
    const std::size_t chosen = next_after(last_, now.candidates, [](const Candidate&) { return true; });
    last_ = candidates[chosen].thread;
    return chosen;
  }

 private:
  std::uint32_t last_ = UINT32_MAX;  ///< thread that ran last
};

}  // namespace

Strategy* make_round_robin(const Schedule& /*schedule*/, Arena& arena) { return arena.make<RoundRobin>(); }

}  // namespace ravel
