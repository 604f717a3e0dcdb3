// gdb around a controlled run.
#pragma once

#include "event/result.h"
#include "record/run_plan.h"

namespace ravel {

/// Runs the program in gdb, which stops it where the last step of its schedule is taken. Returns when the
/// user leaves gdb, with gdb's exit code. An error: there is no gdb.
Result<int> run_in_debugger(const RunPlan& plan);

}  // namespace ravel
