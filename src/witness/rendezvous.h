// Which events met at a barrier, and which notifies a wait was open to. Traces name only the object; these
// two readings of it are definitions that everything in witness/ shares.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "witness/small_trace.h"

namespace ravel {

/// One passage of a barrier. The first thread to leave proves that all that take part have arrived, so
/// arrivals after that belong to the next passage. A thread leaves the passage it arrived at last.
struct BarrierPhase {
  std::uint64_t barrier = 0;  ///< address
  std::vector<std::size_t> arrivals;
  std::vector<std::size_t> departures;
};

struct BarrierPhases {
  std::vector<BarrierPhase> phases;  ///< those of one barrier are in order
  std::vector<std::optional<std::size_t>>
      phase_of;  ///< by event; none: no barrier event, or a departure without arrival
  std::vector<std::optional<std::size_t>> previous;  ///< by phase: the passage before it at the same barrier
};

BarrierPhases barrier_phases(const SmallTrace& trace);

/// A wait that ended, with every notify of its condition by other threads in between. Which of them woke the
/// waiter is not in the trace; none at all means a timeout or a spurious wake-up.
struct FinishedWait {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<std::size_t> notifies;
};

std::vector<FinishedWait> finished_waits(const SmallTrace& trace);

}  // namespace ravel
