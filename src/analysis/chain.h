// Chain: reads a trace once and feeds every analysis with it (and again, for those that ask).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/witnesses.h"
#include "event/result.h"
#include "report/finding.h"
#include "trace/reader.h"

namespace ravel {

/// Runs `analyses` over the trace, giving what they detect to `sink`. `progress` (may be empty) is called now
/// and then with the number of events read.
Result<void> run_chain(TraceReader& trace, std::span<const std::unique_ptr<Analysis>> analyses,
                       DetectionSink& sink, const std::function<void(std::uint64_t)>& progress = {});

/// Makes the analyses of `infos`, runs them, looks for witnesses of what they predict, and returns the
/// findings, best verdict first. What every command that analyses uses. `notes` (may be null) gets what the
/// user should know about names that are missing.
Result<std::vector<Finding>> analyze(TraceReader& trace, std::span<const AnalysisInfo* const> infos,
                                     const std::function<void(std::uint64_t)>& progress = {},
                                     std::vector<std::string>* notes = nullptr,
                                     const WitnessOptions& witnesses = {});

}  // namespace ravel
