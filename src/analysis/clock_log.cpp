#include "analysis/clock_log.h"

#include <algorithm>

#include "analysis/stretches.h"

namespace ravel {

void ClockLog::note(ThreadId thread, Time from, const VectorClock& H) {
  if (thread.index() >= threads_.size()) threads_.resize(thread.index() + 1);
  Thread& self = threads_[thread.index()];
  if (self.saved_at != checkpoint_) {
    self.saved_at = checkpoint_;
    self.kept = self.stretches.size();
    if (self.kept > 0) self.last = self.stretches.back();
    touched_.push_back(thread.index());
  }
  times_ += H.size();
  if (!self.stretches.empty() && self.stretches.back().from == from) {
    times_ -= self.stretches.back().H.size();
    self.stretches.back().H = H;
  } else {
    self.stretches.push_back({from, H});
  }
}

VectorClock ClockLog::at(Epoch when) const {
  VectorClock H;
  if (when.thread().index() < threads_.size()) {
    const auto& all = threads_[when.thread().index()].stretches;
    const auto after = std::ranges::upper_bound(all, when.time(), {}, &Stretch::from);
    if (after != all.begin()) H = std::prev(after)->H;
  }
  H.set(when.thread(), when.time());
  return H;
}

void ClockLog::checkpoint() {
  ++checkpoint_;
  touched_.clear();
  if (times_ > kMaxTimes) thin();
}

void ClockLog::restore() {
  for (const std::size_t index : touched_) {
    Thread& self = threads_[index];
    for (std::size_t i = self.kept; i < self.stretches.size(); ++i) times_ -= self.stretches[i].H.size();
    self.stretches.resize(self.kept);
    if (self.kept == 0) continue;
    times_ += self.last.H.size();
    times_ -= self.stretches.back().H.size();
    self.stretches.back() = self.last;
  }
}

void ClockLog::thin() {
  times_ = 0;
  for (Thread& self : threads_) {
    halve(self.stretches);
    for (const Stretch& stretch : self.stretches) times_ += stretch.H.size();
  }
}

}  // namespace ravel
