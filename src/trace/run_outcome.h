// RunOutcome: how the runtime itself ended a controlled run, because no thread could go on or none got any
// further, and whether the run was what its schedule says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "event/ids.h"

namespace ravel {

struct RunOutcome {
  /// A thread that waits for an object, or one that holds it. `event` is the thread's last one about the
  /// object, 0 if there is none; it has the stack.
  struct Claim {
    ThreadId thread;
    std::string operation;     ///< of one that waits: as in event/operation_kind.h
    std::uint64_t object = 0;  ///< its address; of a join: the index of the other thread
    PlaceId place;
    StackId stack;
    std::uint64_t event = 0;
  };
  struct Departure {
    std::uint64_t step = 0;
    std::string thread;  ///< its fork path
    std::string expected;
    std::string found;
  };

  std::string kind;  ///< "deadlock", "lost-wakeup", "livelock" or "step-limit"; empty: the program has ended
  std::uint64_t step = 0;
  std::vector<Claim> waiting;
  std::vector<Claim> holding;  ///< by threads that wait
  std::optional<Departure> departure;
};

}  // namespace ravel
