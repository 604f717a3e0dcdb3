// Another program, run to its end with its output caught.
#pragma once

#include <string>
#include <vector>

#include "event/result.h"

namespace ravel {

struct Finished {
  int exit_code = 0;  ///< 128 + the signal if one ended it
  std::string output;
  std::string errors;
};

/// Runs it without standard input. `directory` is where its output is kept meanwhile; it must exist. Changes
/// of the environment are "NAME=value", and win.
Result<Finished> run_program(const std::vector<std::string>& command, const std::string& directory,
                             const std::vector<std::string>& environment = {});

}  // namespace ravel
