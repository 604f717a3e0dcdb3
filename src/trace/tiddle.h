// Tiddle (.tid), the trace language of Sadowski 2012, Part VII; tiddle_line.h has the grammar.
//
// Reading: threads that nothing forks are forked by thread 0 at the start, in the order of their first use,
// unless the head of the file says "# no implied forks". Thread ids are given by first appearance; an event
// without a location happened at its own line of the file. "# filter: segment|owner" and "# access order:
// hook" in the head say how the trace was recorded (header.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "event/result.h"
#include "trace/reader.h"

namespace ravel {

/// Directives of the head, without '#'.
inline constexpr std::string_view kNoImpliedForks = "no implied forks";
inline constexpr std::string_view kHookOrder = "access order: hook";
inline constexpr std::string_view kFilterSegment = "filter: segment";
inline constexpr std::string_view kFilterOwner = "filter: owner";
inline constexpr std::string_view kFilterAll = "filter: all";

Result<std::unique_ptr<TraceReader>> open_tiddle(const std::string& path);
Result<std::unique_ptr<TraceWriter>> create_tiddle(const std::string& path, const TraceHeader& header);

/// What a golden trace says an analysis finds: "# expect NAME: TEXT".
struct Expectation {
  std::string analysis;
  std::string text;
  std::uint64_t line = 0;

  friend bool operator==(const Expectation&, const Expectation&) = default;
};

/// All expectations of the file, in order; "# expect" without a name and a colon is an error.
Result<std::vector<Expectation>> read_expectations(const std::string& path);

}  // namespace ravel
