// Arguments of every command that runs a program.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/console.h"
#include "event/result.h"
#include "record/recording.h"
#include "record/target.h"

namespace ravel {

class RecordingArguments {
 public:
  /// PROG ARGS..., --filter, --max-size.
  void define(CLI::App& app);
  RecordOptions options() const;

 private:
  std::vector<std::string> command_;
  std::string filter_ = "owner";
  std::uint64_t max_bytes_ = std::uint64_t{16} << 30;
};

/// What a run has told, besides its events.
struct RunNotes {
  std::vector<std::string> texts;
  bool instrumented = false;  ///< some of its code was compiled for ravel
};

/// Prints what the user should know about a run; an error if it has recorded nothing.
Result<void> tell_about_run(Console& console, const std::string& program, const RunEnd& end,
                            const RunNotes& notes);

}  // namespace ravel
