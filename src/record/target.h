// Target: the user's program, started with the runtime in it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "event/result.h"
#include "trace/header.h"

namespace ravel {

/// How the program shall run and record itself.
struct RecordOptions {
  std::vector<std::string> command;
  std::string working_directory;         ///< empty: ours
  std::vector<std::string> environment;  ///< "NAME=value": changes of ours
  std::string input;                     ///< a file that becomes its standard input; empty: ours
  /// A file with the schedule of a controlled run, absolute; empty: threads run as they like.
  std::string schedule;
  FilterLevel filter = FilterLevel::Owner;
  std::uint64_t max_bytes = std::uint64_t{16} << 30;
};

/// The runtime's library: beside this program, as built or as installed.
Result<std::string> runtime_library();

/// How the program ended, as a shell would say it: its exit code, or 128 + the signal.
int exit_code_of(int status);

/// The variables that put the runtime into a program, as "NAME=value": LD_PRELOAD, RAVEL_OPTIONS, and for a
/// controlled run, unless they are set, those by which libraries do not wait by themselves.
Result<std::vector<std::string>> runtime_variables(const RecordOptions& options,
                                                   const std::string& directory);

/// Starts the program; its streams appear in `directory`. It gets standard output and error as they are. An
/// error if it cannot be started at all. In a controlled run its addresses are the same each time, where the
/// system allows that.
Result<pid_t> start_target(const RecordOptions& options, const std::string& directory);

}  // namespace ravel
