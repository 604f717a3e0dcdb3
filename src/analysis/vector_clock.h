// Vector clocks (Sadowski 2012, ch. 8) and epochs (Flanagan and Freund 2009): which events of which thread
// come before.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>

#include "event/check.h"
#include "event/ids.h"

namespace ravel {

/// Local time of a thread. Thread t's own entry starts at 1, so 0 means "nothing of that thread".
using Time = std::uint32_t;

/// c@t: time c of thread t, in one comparable word. The default epoch precedes everything.
struct Epoch {
  std::uint64_t bits = 0;

  constexpr Epoch() = default;
  constexpr Epoch(ThreadId thread, Time time) : bits(std::uint64_t{thread.value} << 32 | time) {}
  constexpr ThreadId thread() const { return ThreadId(static_cast<std::uint32_t>(bits >> 32)); }
  constexpr Time time() const { return static_cast<Time>(bits); }
  constexpr bool none() const { return time() == 0; }
  friend constexpr bool operator==(Epoch, Epoch) = default;
};

/// K: Tid -> Time. Entries beyond the stored ones are 0.
class VectorClock {
 public:
  Time operator[](ThreadId thread) const {
    return thread.index() < times_.size() ? times_[thread.index()] : Time{0};
  }
  void set(ThreadId thread, Time time) {
    if (thread.index() >= times_.size()) times_.resize(thread.index() + 1);
    times_[thread.index()] = time;
  }
  /// The entry is at least this. True if it rose.
  bool raise(ThreadId thread, Time time) {
    if ((*this)[thread] >= time) return false;
    set(thread, time);
    return true;
  }
  /// Point-wise maximum. True if anything rose.
  bool join(const VectorClock& other) {
    if (other.times_.size() > times_.size()) times_.resize(other.times_.size());
    bool rose = false;
    for (std::size_t i = 0; i < other.times_.size(); ++i) {
      rose |= other.times_[i] > times_[i];
      times_[i] = std::max(times_[i], other.times_[i]);
    }
    return rose;
  }
  /// e <= K
  bool covers(Epoch epoch) const { return epoch.time() <= (*this)[epoch.thread()]; }
  void clear() { times_.clear(); }
  bool empty() const { return times_.empty(); }
  std::size_t size() const { return times_.size(); }
  std::span<const Time> times() const { return times_; }  ///< by thread

 private:
  /// Most programs have few threads: their clocks are looked at, joined and copied without going elsewhere.
  static constexpr std::size_t kFew = 8;
  boost::container::small_vector<Time, kFew> times_;
};

}  // namespace ravel
