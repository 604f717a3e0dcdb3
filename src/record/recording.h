// Recording: a run of the user's program, and of all processes it starts, followed from outside.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "event/result.h"
#include "record/step_log.h"
#include "record/target.h"
#include "trace/reader.h"

namespace ravel {

/// A process that records itself.
struct RecordedProcess {
  pid_t pid = 0;
  bool first = false;  ///< the program itself, as it was started; not what it forked or became by exec
  /// How many traces of this process, `first` not counted, came before: exec begins another one.
  unsigned earlier = 0;
};

struct FollowOptions {
  RecordOptions record;
  /// Where the streams live while the program runs; a folder for them is made there and removed at the end.
  std::string directory;
  /// Chunks a process may fill before it waits for its follower; 0: it never waits.
  std::uint32_t chunk_limit = 0;
  /// Then the program is killed; 0: never.
  std::chrono::milliseconds time_limit{0};
};

struct RunEnd {
  int exit_code = 0;          ///< exit_code_of() the program
  int signal = 0;             ///< that ended it; 0: none did
  bool out_of_time = false;   ///< it was killed because of the time limit
  std::size_t processes = 0;  ///< that recorded anything
  StepLog steps;              ///< of a controlled run: of the program itself
};

/// Reads one process' trace to its end; called in a thread of its own for each process.
using Follow = std::function<Result<void>(const RecordedProcess&, std::unique_ptr<TraceReader>)>;

/// Starts the program, follows every process of it, and returns when the program and all its followers have
/// ended. Of processes that are still running then, the rest is not recorded.
Result<RunEnd> run_recorded(const FollowOptions& options, const Follow& follow);

}  // namespace ravel
