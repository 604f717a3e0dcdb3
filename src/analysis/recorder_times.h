// RecorderTimes: from the local times of a recorder (kTimeSteps), which retroactive accesses and After refer
// to, to those of CausalClocks, which count every event.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/vector_clock.h"

namespace ravel {

class RecorderTimes {
 public:
  /// One of kTimeSteps happens at the analysis' time `when`.
  void step(ThreadId thread, Time when) { make(thread).steps.push_back(when); }
  /// So many steps happen (Elapse), the first at the analysis' time `when` and each two later than the one
  /// before: what was done between two of them comes between. `count` is not 0.
  void elapse(ThreadId thread, Time when, std::size_t count) {
    Thread& self = make(thread);
    const std::size_t before = self.gaps.empty() ? 0 : self.gaps.back().skipped;
    self.gaps.push_back({self.steps.size() + before, count, before + count, when});
  }

  /// How much later it is after these steps than at the first one.
  static std::uint64_t duration(std::uint64_t count) { return 2 * count - 1; }

  /// The analysis' last time, up to `now`, within one of the recorder.
  Time last(ThreadId thread, Time recorded, Time now) const {
    const Time end = ended(thread, recorded);
    return end == 0 ? now : std::min(end - 1, now);
  }
  /// The analysis' time of the step that has ended one of the recorder, or `now` if it has not ended.
  Time end(ThreadId thread, Time recorded, Time now) const {
    const Time end = ended(thread, recorded);
    return end == 0 ? now : end;
  }
  /// Starts loading what last() will look at.
  [[gnu::always_inline]] void prefetch(ThreadId thread, Time recorded) const {
    const Thread* const self = of(thread);
    if (self != nullptr && self->gaps.empty() && recorded != 0 && recorded <= self->steps.size())
      __builtin_prefetch(&self->steps[recorded - 1]);
  }
  /// The first and the last time, up to `now`, in the recorder's time that `when` is in.
  std::pair<Time, Time> around(ThreadId thread, Time when, Time now) const {
    const Thread* const self = of(thread);
    if (self == nullptr) return {1, now};
    const auto step = std::ranges::upper_bound(self->steps, when);
    Time first = step == self->steps.begin() ? 1 : *std::prev(step) + 1;
    Time last = step == self->steps.end() ? now : std::min(*step - 1, now);
    // The steps between these two, if there are any.
    const auto gap = std::ranges::upper_bound(self->gaps, when, {}, &Gap::when);
    if (gap != self->gaps.begin()) {
      const Time begin = std::prev(gap)->when;
      const Time end = begin + static_cast<Time>(duration(std::prev(gap)->count));
      const Time between = begin + ((when - begin) | 1);
      if (when < end) return {between, between};
      first = std::max(first, end);
    }
    if (gap != self->gaps.end()) last = std::min(last, gap->when - 1);
    return {first, last};
  }

 private:
  /// Steps that are not in `steps` one by one.
  struct Gap {
    std::size_t first;  ///< how many steps come before
    std::size_t count;
    std::size_t skipped;  ///< in all gaps up to this one
    Time when;            ///< of its first step
  };
  struct Thread {
    std::vector<Time> steps;
    std::vector<Gap> gaps;
  };

  Thread& make(ThreadId thread) {
    if (thread.index() >= threads_.size()) threads_.resize(thread.index() + 1);
    return threads_[thread.index()];
  }
  const Thread* of(ThreadId thread) const {
    return thread.index() < threads_.size() ? &threads_[thread.index()] : nullptr;
  }
  /// 0: that time has not ended.
  Time ended(ThreadId thread, Time recorded) const {
    const Thread* const self = of(thread);
    if (self == nullptr || recorded == 0) return 0;
    std::size_t step = recorded - 1;
    if (!self->gaps.empty()) {
      const auto gap = std::ranges::upper_bound(self->gaps, step, {}, &Gap::first);
      if (gap != self->gaps.begin()) {
        const Gap& before = *std::prev(gap);
        if (step - before.first < before.count)
          return before.when + 2 * static_cast<Time>(step - before.first);
        step -= before.skipped;
      }
    }
    return step < self->steps.size() ? self->steps[step] : 0;
  }

  std::vector<Thread> threads_;
};

}  // namespace ravel
