// RecorderTimes: from the local times of a recorder (kTimeSteps), which retroactive accesses refer to, to
// those of CausalClocks, which count every event.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/vector_clock.h"

namespace ravel {

class RecorderTimes {
 public:
  /// One of kTimeSteps happens at the analysis' time `when`.
  void step(ThreadId thread, Time when) {
    if (thread.index() >= steps_.size()) steps_.resize(thread.index() + 1);
    steps_[thread.index()].push_back(when);
  }

  /// The analysis' last time, up to `now`, within one of the recorder.
  Time last(ThreadId thread, Time recorded, Time now) const {
    const std::vector<Time>* const all = of(thread);
    if (all == nullptr || recorded == 0 || recorded > all->size()) return now;
    return std::min((*all)[recorded - 1] - 1, now);
  }
  /// Starts loading what last() will look at.
  [[gnu::always_inline]] void prefetch(ThreadId thread, Time recorded) const {
    const std::vector<Time>* const all = of(thread);
    if (all != nullptr && recorded != 0 && recorded <= all->size()) __builtin_prefetch(&(*all)[recorded - 1]);
  }
  /// The first and the last time, up to `now`, in the recorder's time that `when` is in.
  std::pair<Time, Time> around(ThreadId thread, Time when, Time now) const {
    const std::vector<Time>* const all = of(thread);
    if (all == nullptr) return {1, now};
    const auto step = std::ranges::upper_bound(*all, when);
    return {step == all->begin() ? 1 : *std::prev(step) + 1,
            step == all->end() ? now : std::min(*step - 1, now)};
  }

 private:
  const std::vector<Time>* of(ThreadId thread) const {
    return thread.index() < steps_.size() ? &steps_[thread.index()] : nullptr;
  }

  std::vector<std::vector<Time>> steps_;  ///< by thread
};

}  // namespace ravel
