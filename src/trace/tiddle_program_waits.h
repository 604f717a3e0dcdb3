// Waits on conditions in a Tiddle program: which calls they become.
//
// Internal to the Tiddle compiler (tiddle_program.h).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "trace/tiddle_program_plan.h"

namespace ravel {

struct BrokenWait {
  Event event;
  std::string_view message;
};

/// Marks the steps of `plan` after which a thread waits, and the lock operations that its wait does. What is
/// wrong: a wake-up without a wait or without a notify for it, or a thread that acts while it waits.
std::optional<BrokenWait> plan_waits(std::span<const Event> events, ProgramPlan& plan);

}  // namespace ravel
