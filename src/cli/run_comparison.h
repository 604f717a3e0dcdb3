// Two runs of one schedule, compared: whether the program does the same each time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "event/result.h"
#include "record/step_log.h"

namespace ravel {

/// Where two runs differ first: "step 12: thread 0.0 does lock, then thread 0.1 does unlock". Nothing: they
/// do not.
std::optional<std::string> steps_difference(const StepLog& first, const StepLog& second);

struct EventsComparison {
  std::uint64_t events = 0;  ///< that are the same
  std::string difference;    ///< what the next one is in both runs; empty: there is none
};
/// Addresses may be others in the second run; what was done, by whom and where must be the same.
Result<EventsComparison> compare_events(const std::string& first_trace, const std::string& second_trace);

}  // namespace ravel
