// The outcome of a controlled run as a finding.
#pragma once

#include <optional>
#include <string>

#include "report/finding.h"
#include "report/source_lines.h"
#include "trace/run_outcome.h"
#include "trace/tables.h"

namespace ravel {

/// A deadlock, lost wake-up or livelock: who waits for what, who holds it, and since where. Nothing: the run
/// has ended otherwise. `scope` is the run; the finding's evidence names `schedule`, which repeats it.
std::optional<Finding> outcome_finding(const RunOutcome& outcome, const Tables& tables,
                                       const std::string& scope, const std::string& schedule,
                                       SourceLines& sources);

}  // namespace ravel
