// OpenSections: in which sections of which locks each thread is, and was at a past local time.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "analysis/conflict_table.h"
#include "analysis/time_search.h"
#include "analysis/vector_clock.h"
#include "event/event.h"

namespace ravel {

class OpenSections {
 public:
  struct Open {
    SectionName name;
    std::uint32_t before = 0;  ///< exclusive sections of the lock before it
    bool alone = false;        ///< no section that could be ordered before it
    std::uint32_t tag = 0;     ///< the caller's
    std::uint32_t past = 0;    ///< index in Thread::past
  };

  /// The section that an acquire opens. Valid until the next one.
  Open& acquire(const Event& event);
  /// Closes a section: an invalid thread in its name means that there was none. `nested`: it was the
  /// innermost one.
  Open release(const Event& event, bool& nested);
  /// Outermost first.
  std::span<Open> open(ThreadId thread) { return at(thread).open; }
  /// Local time goes on: call it for each of kTimeSteps, after the two above.
  void tick(ThreadId thread, Time steps = 1) { at(thread).now += steps; }
  std::size_t threads() const { return threads_.size(); }

  /// Calls `use` with each section the thread was in at a past time; false: that is too long ago.
  template <typename Use>
  bool for_each_at(ThreadId thread, Time when, const Use& use) {
    const Thread& self = at(thread);
    if (when < self.forgotten) return false;
    // Sections nest: those open at that time are the last one acquired by then and those around it.
    const std::size_t begun =
        count_until(self.past.size(), when, [&](std::size_t i) { return self.past[i].acquired; });
    for (std::uint32_t i = begun == 0 ? kNone : static_cast<std::uint32_t>(begun - 1); i != kNone;
         i = self.past[i].around)
      if (when <= self.past[i].released) use(self.past[i].name);
    return true;
  }

  /// Starts loading what for_each_at() will look at first.
  [[gnu::always_inline]] void prefetch_at(ThreadId thread, Time when) const {
    if (thread.index() >= threads_.size()) return;
    const std::vector<Past>& past = threads_[thread.index()].past;
    if (past.empty()) return;
    __builtin_prefetch(
        &past[guess_until(past.size(), when, [&](std::size_t i) { return past[i].acquired; })]);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kMaxPast = std::size_t{1} << 18;
  struct Past {
    SectionName name;
    Time acquired = 0;  ///< local time after the acquire
    Time released = std::numeric_limits<Time>::max();
    std::uint32_t around = kNone;  ///< index of the section it was acquired in
  };
  struct Thread {
    std::vector<Open> open;
    std::vector<Past> past;
    Time now = 1;
    Time forgotten = 0;  ///< `past` is complete from this time on
  };
  struct Lock {
    std::uint32_t exclusive = 0;                                ///< sections so far
    boost::unordered_flat_map<ThreadId, std::uint32_t> shared;  ///< by reader
  };

  Thread& at(ThreadId thread) {
    if (thread.index() >= threads_.size()) threads_.resize(thread.index() + 1);
    return threads_[thread.index()];
  }
  static void forget(Thread& self);

  std::vector<Thread> threads_;
  std::vector<Lock> locks_;
};

}  // namespace ravel
