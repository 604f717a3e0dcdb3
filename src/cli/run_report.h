// RunReport: what a run of the program has told, besides its events.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "event/result.h"
#include "record/recording.h"
#include "report/finding.h"
#include "trace/reader.h"

namespace ravel {

/// Filled by the followers of the run's processes, each in its thread; read when they have ended.
class RunReport {
 public:
  /// `scope` is the run, for evidence; `schedule` the file that repeats it, empty: none.
  RunReport(std::string scope, std::string schedule)
      : scope_(std::move(scope)), schedule_(std::move(schedule)) {}

  /// A process' trace has been read to its end; its notes are told as those of `name`.
  void add(const RecordedProcess& process, const TraceReader& trace, const std::string& name);
  /// Notes about names that are missing.
  void add_notes(const std::vector<std::string>& notes);

  /// Where the process' findings hold: the run, and which process of it.
  std::string scope_of(const RecordedProcess& process) const;

  /// Prints what the user should know about the run; an error if it has recorded nothing.
  Result<void> tell(Console& console, const std::string& program, const RunEnd& end) const;
  /// "deadlock", "step-limit", "time-limit", "signal 6", "exit 0", ...
  std::string outcome(const RunEnd& end) const;
  /// The program's own; 137, as if killed, if a limit has stopped it.
  int exit_code(const RunEnd& end) const;
  /// Deadlocks, lost wake-ups and livelocks in which the run ended.
  const std::vector<Finding>& failures() const { return failures_; }
  /// Where the program could not do what the schedule says.
  const std::optional<RunOutcome::Departure>& departure() const { return departure_; }
  const std::vector<std::string>& unseen_libraries() const { return unseen_libraries_; }
  bool instrumented() const { return instrumented_; }

 private:
  std::string scope_;
  std::string schedule_;
  std::mutex mutex_;
  std::vector<std::string> notes_;
  std::string stopped_;  ///< RunOutcome::kind of a process, rather of the program itself
  std::optional<RunOutcome::Departure> departure_;
  std::vector<Finding> failures_;
  std::vector<std::string> unseen_libraries_;
  bool instrumented_ = false;  ///< some of its code was compiled for ravel
};

}  // namespace ravel
