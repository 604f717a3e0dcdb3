// Target: the user's program, started with the runtime in it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "event/result.h"
#include "trace/header.h"

namespace ravel {

/// How the program shall record itself.
struct RecordOptions {
  std::vector<std::string> command;
  FilterLevel filter = FilterLevel::Owner;
  std::uint64_t max_bytes = std::uint64_t{16} << 30;
};

/// The runtime's library: beside this program, as built or as installed.
Result<std::string> runtime_library();

/// How the program ended, as a shell would say it: its exit code, or 128 + the signal.
int exit_code_of(int status);

/// Starts the program; its streams appear in `directory`. It gets standard input, output and error as they
/// are. An error if it cannot be started at all.
Result<pid_t> start_target(const RecordOptions& options, const std::string& directory);

}  // namespace ravel
