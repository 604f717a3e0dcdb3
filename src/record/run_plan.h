// RunPlan: how to run the program, once or several times, each time in the same surroundings.
#pragma once

#include <functional>
#include <string>

#include "record/input.h"
#include "record/recording.h"

namespace ravel {

struct RunPlan {
  FollowOptions follow;  ///< {run} in the program's arguments and environment is the number of the run
  Input input;           ///< from its beginning in every run
  std::string before;    ///< shell commands around each run, in its directory; empty: none
  std::string after;
  bool fresh_directory = false;  ///< each run in an empty directory of its own, removed afterwards
  std::function<void(const std::string&)> note;  ///< what the user should know

  /// `number` counts runs from 0.
  Result<RunEnd> run(unsigned number, const Follow& follow_process) const;
};

/// The text with every "{run}" replaced.
std::string with_run_number(std::string text, unsigned number);

}  // namespace ravel
