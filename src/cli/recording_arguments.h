// Arguments of every command that runs a program.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "event/result.h"
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

/// What the user of a program without instrumented code must know.
std::string uninstrumented_note(const std::string& program);

}  // namespace ravel
