// How a trace was made. An analysis that needs more than the header offers refuses or stays at `suspected`.
#pragma once

#include <string>
#include <vector>

#include "event/levels.h"

namespace ravel {

struct TraceHeader {
  FilterLevel filter = FilterLevel::None;
  AccessOrder access_order = AccessOrder::Exact;
  ValueLevel values = ValueLevel::None;
  std::vector<std::string> command;
  std::string directory;
  std::vector<std::string> environment;  ///< "NAME=value", only what matters for a re-run
  std::vector<std::string> build_ids;    ///< "module hex"
  std::string input_hash;
  /// Code of the program was known to report its accesses when the header was written; false: not known.
  bool instrumented = false;
  std::vector<std::string> unseen_libraries;  ///< whose synchronization is not in the trace

  friend bool operator==(const TraceHeader&, const TraceHeader&) = default;
};

}  // namespace ravel
