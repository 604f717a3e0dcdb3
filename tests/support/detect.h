// Runs analyses on small traces and returns what they report, in names and positions.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "trace/reader.h"

namespace ravel {

struct Detected {
  FindingKind kind;
  Verdict verdict;
  std::string object;
  std::vector<std::uint64_t> events;
};

/// Everything `analysis` reports about a trace; aborts the test on an error.
std::vector<Detected> detect(TraceReader& trace, std::string_view analysis);
std::vector<Detected> detect(TraceReader& trace, std::unique_ptr<Analysis> analysis);

/// A trace from Tiddle text, one operation a line; aborts the test if it is not well-formed.
std::unique_ptr<TraceReader> trace_of(std::string_view tiddle);

std::vector<Detected> detect(std::string_view tiddle, std::string_view analysis);

/// The objects, without repetition, as in an `# expect` line: "race x y", "none".
std::string summary(const std::vector<Detected>& detected);

}  // namespace ravel
