// Calls on descriptors in a controlled run.
#pragma once

#include "runtime/recorder.h"

namespace ravel::rt {

/// Others may go first; then waits until the descriptor is ready for `events`, unless calls on it never wait.
/// False: the call must not be made, for what errno says.
bool reach_call(int descriptor, short events, int message_flags, Pc pc);

}  // namespace ravel::rt
