// Traces that are large in one way each, made while they are read: where an analysis could need more time or
// memory than a trace of their length deserves.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "trace/reader.h"

namespace ravel {

struct ExtremeTrace {
  std::string_view name;
  std::string_view size_of;     ///< what `size` counts
  std::uint64_t full_size = 0;  ///< that of the benchmark
  std::string_view predicted;   ///< the race that cp, wcp and mb have, as in an `# expect` line
  std::unique_ptr<TraceReader> (*make)(std::uint64_t size) = nullptr;
};

std::span<const ExtremeTrace> extreme_traces();

}  // namespace ravel
