// non-preemptive: a thread runs until it blocks or ends, then the next one does. Time passes only when nobody
// can run without it.
//
// Loops that wait for another thread would never end like that. So a thread also hands over when it yields,
// and after many steps while others could run; and after many more, the one that waits for its time gets it.
#include "schedule/strategies.h"

namespace ravel {
namespace {

constexpr std::uint32_t kStepsInARow = 10'000;
constexpr std::uint32_t kStepsWithoutTime = 100'000;

/// Who has the earliest deadline; kNobody: no one waits for time.
std::size_t next_by_time(std::span<const Candidate> candidates) {
  std::size_t found = Moment::kNobody;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates.data()[i];
    if (!candidate.by_time) continue;
    if (found == Moment::kNobody || candidate.deadline < candidates.data()[found].deadline) found = i;
  }
  return found;
}

class NonPreemptive final : public Strategy {
 public:
  std::size_t choose(const Moment& now) override {
    const Candidate* candidates = now.candidates.data();
    if (now.current != Moment::kNobody) ran(candidates[now.current].thread);
    const std::size_t chosen = pick(now);
    if (candidates[chosen].by_time) without_time_ = 0;
    ran(candidates[chosen].thread);
    return chosen;
  }

 private:
  std::size_t pick(const Moment& now) {
    constexpr std::size_t kNobody = Moment::kNobody;
    const Candidate* current = now.current == kNobody ? nullptr : now.candidates.data() + now.current;
    const std::size_t other = next_after(last_, now.candidates, [&](const Candidate& candidate) {
      return !candidate.by_time && &candidate != current;
    });
    const std::size_t by_time = next_by_time(now.candidates);

    if (other != kNobody) ++in_a_row_;
    if (by_time != kNobody && ++without_time_ >= kStepsWithoutTime) return by_time;
    if (current == nullptr || current->by_time) return other != kNobody ? other : by_time;
    const bool hands_over = lets_others_run(current->next) || in_a_row_ >= kStepsInARow;
    return hands_over && other != kNobody ? other : now.current;
  }

  void ran(std::uint32_t thread) {
    if (thread != last_) in_a_row_ = 0;
    last_ = thread;
  }

  std::uint32_t last_ = UINT32_MAX;  ///< thread that ran last
  std::uint32_t in_a_row_ = 0;       ///< its steps while others could run
  std::uint32_t without_time_ = 0;   ///< steps while somebody waited for time
};

}  // namespace

Strategy* make_non_preemptive(const Schedule& /*schedule*/, Arena& arena) {
  return arena.make<NonPreemptive>();
}

}  // namespace ravel
