// Arguments of every command that runs a program.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/console.h"
#include "event/result.h"
#include "record/run_plan.h"

namespace ravel {

class RecordingArguments {
 public:
  /// PROG ARGS...
  void define_program(CLI::App& app, bool required);
  /// --filter, --max-size and what surrounds each run: --env, --before, --after, --fresh-cwd, --time-limit.
  void define(CLI::App& app);

  const std::vector<std::string>& command() const { return command_; }
  /// A plan without input and schedule. The caller says where streams live.
  RunPlan plan(Console& console) const;

 private:
  std::vector<std::string> command_;
  std::string filter_ = "owner";
  std::uint64_t max_bytes_ = std::uint64_t{16} << 30;
  std::vector<std::string> environment_;
  std::string before_;
  std::string after_;
  double time_limit_ = 0;
  bool fresh_directory_ = false;
};

/// Standard input for every run of a controlled program.
Result<Input> spool_input(Console& console);

}  // namespace ravel
