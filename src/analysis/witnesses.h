// Witnesses for findings: looks for a correct reordering of the trace that shows each of them, lets the
// checker judge it (witness/witness.h), and says in the finding's evidence what came of it.
//
// Looked for are reorderings that keep the order of critical sections (witness_search.h), and in traces of a
// few dozen events all of them (witness/oracle.h). Who found the race or the deadlock does not matter.
#pragma once

#include <string>
#include <vector>

#include "event/result.h"
#include "report/finding.h"
#include "trace/reader.h"

namespace ravel {

struct WitnessOptions {
  /// Where to write them, as ID.tid and, if the trace says enough, ID.json (a schedule). Empty: nowhere; then
  /// what was observed needs none.
  std::string directory;
};

/// Findings that witnesses are looked for: the predicted ones first, then the suspected ones.
inline constexpr std::size_t kMostWitnesses = 100;

/// Reads the trace again, unless there is nothing to look for. A race or deadlock with a checked witness gets
/// evidence of its own, by `witness`: predicted. One that was predicted and has none says why; if the checker
/// rejects it, it is only suspected.
Result<void> add_witnesses(TraceReader& trace, std::vector<Finding>& findings, const WitnessOptions& options);

}  // namespace ravel
