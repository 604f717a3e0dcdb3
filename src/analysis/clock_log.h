// ClockLog: H of every thread at its past local times, as far as memory allows. What an edge from a past
// access needs: the race check itself remembers only when the access was.
//
// When it is full it takes each two neighbouring stretches of a thread for one, with the clock of the later:
// an edge from there orders more than it has to, never less.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/vector_clock.h"

namespace ravel {

class ClockLog {
 public:
  static constexpr std::size_t kMaxTimes = std::size_t{1} << 24;  ///< 64 MiB

  /// From local time `from` on, until the next note, what the thread is ordered after is H (but for its own
  /// entry).
  void note(ThreadId thread, Time from, const VectorClock& H);
  /// H of what the thread did at that time.
  VectorClock at(Epoch when) const;

  /// Between these two what is noted may be taken back.
  void checkpoint();
  void restore();

 private:
  /// From when on, and where its times begin: they end where those of the next one do.
  struct Stretch {
    Time from = 0;
    std::size_t begin = 0;
  };
  struct Thread {
    std::vector<Stretch> stretches;
    std::vector<Time> times;       ///< of all stretches
    std::size_t kept = 0;          ///< stretches at the checkpoint
    std::vector<Time> last_times;  ///< of the last of those, which a later note may have replaced
    std::uint64_t saved_at = 0;    ///< number of the checkpoint
  };
  static void thin(Thread& self);

  std::vector<Thread> threads_;
  std::vector<std::size_t> touched_;  ///< since the checkpoint
  std::uint64_t checkpoint_ = 0;
  std::size_t times_ = 0;
};

}  // namespace ravel
