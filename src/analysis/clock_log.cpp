#include "analysis/clock_log.h"

#include <algorithm>

namespace ravel {

void ClockLog::note(ThreadId thread, Time from, const VectorClock& H) {
  if (thread.index() >= threads_.size()) threads_.resize(thread.index() + 1);
  Thread& self = threads_[thread.index()];
  if (self.saved_at != checkpoint_) {
    self.saved_at = checkpoint_;
    self.kept = self.stretches.size();
    if (self.kept > 0)
      self.last_times.assign(self.times.begin() + static_cast<std::ptrdiff_t>(self.stretches.back().begin),
                             self.times.end());
    touched_.push_back(thread.index());
  }
  times_ -= self.times.size();
  if (!self.stretches.empty() && self.stretches.back().from == from)
    self.times.resize(self.stretches.back().begin);
  else
    self.stretches.push_back({from, self.times.size()});
  self.times.insert(self.times.end(), H.times().begin(), H.times().end());
  times_ += self.times.size();
}

VectorClock ClockLog::at(Epoch when) const {
  VectorClock H;
  if (when.thread().index() < threads_.size()) {
    const Thread& self = threads_[when.thread().index()];
    const auto& all = self.stretches;
    const auto after = std::ranges::upper_bound(all, when.time(), {}, &Stretch::from);
    if (after != all.begin()) {
      const std::size_t begin = std::prev(after)->begin;
      const std::size_t end = after == all.end() ? self.times.size() : after->begin;
      for (std::size_t i = begin; i < end; ++i) H.set(ThreadId(i - begin), self.times[i]);
    }
  }
  H.set(when.thread(), when.time());
  return H;
}

void ClockLog::checkpoint() {
  ++checkpoint_;
  touched_.clear();
  if (times_ <= kMaxTimes) return;
  times_ = 0;
  for (Thread& self : threads_) {
    thin(self);
    times_ += self.times.size();
  }
}

void ClockLog::restore() {
  for (const std::size_t index : touched_) {
    Thread& self = threads_[index];
    times_ -= self.times.size();
    self.stretches.resize(self.kept);
    self.times.resize(self.kept == 0 ? 0 : self.stretches.back().begin);
    if (self.kept > 0) self.times.insert(self.times.end(), self.last_times.begin(), self.last_times.end());
    times_ += self.times.size();
  }
}

void ClockLog::thin(Thread& self) {
  std::vector<Stretch> stretches;
  std::vector<Time> times;
  for (std::size_t i = 0; i < self.stretches.size(); i += 2) {
    const std::size_t later = std::min(i + 1, self.stretches.size() - 1);
    const std::size_t end =
        later + 1 < self.stretches.size() ? self.stretches[later + 1].begin : self.times.size();
    stretches.push_back({self.stretches[i].from, times.size()});
    times.insert(times.end(), self.times.begin() + static_cast<std::ptrdiff_t>(self.stretches[later].begin),
                 self.times.begin() + static_cast<std::ptrdiff_t>(end));
  }
  self.stretches = std::move(stretches);
  self.times = std::move(times);
}

}  // namespace ravel
