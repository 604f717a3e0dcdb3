// Places of a schedule's constraints as code addresses of the program, which is what the runtime knows.
#pragma once

#include <string>

#include "event/result.h"
#include "record/kept_schedule.h"

namespace ravel {

/// Replaces "file:line" by "@ADDRESS,ADDRESS" (schedule/step_finder.h), for the code of that line in the file
/// `program`. True: there was something to replace. An error: a line has no code.
Result<bool> resolve_places(KeptSchedule& schedule, const std::string& program);

}  // namespace ravel
