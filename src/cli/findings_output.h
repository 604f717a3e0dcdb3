// FindingsOutput: how every command that finds something prints it, and what its exit code is.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/console.h"
#include "event/result.h"
#include "report/store.h"

namespace ravel {

class FindingsOutput {
 public:
  /// --fail-on, --show-all, --json and --output.
  void define(CLI::App& app);
  /// The same for a command whose --output is something else.
  void define_without_output(CLI::App& app);

  struct About {
    std::vector<std::string> traces;
    std::string next_command;        ///< see ReportContext
    std::optional<int> target_exit;  ///< of the program that was run, if one was
  };
  /// Prints the findings. The exit code: 66 if one counts, else the program's own, else 0.
  Result<int> deliver(Console& console, const FindingStore& store, const About& about) const;

 private:
  std::string print(std::span<const Finding> findings, const Console& console, const About& about) const;

  std::string fail_on_ = "predicted";
  std::string output_;
  bool show_all_ = false;
  bool json_ = false;
};

}  // namespace ravel
