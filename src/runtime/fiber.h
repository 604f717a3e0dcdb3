// Fibers: threads of the program's own making, which take turns on threads of the system. Each has a Thread
// of its own; the system's thread is whichever one runs on it.
#pragma once

#include "runtime/thread.h"

namespace ravel::rt {

/// The system's thread ends: it is itself again, whatever fiber ran on it last.
void leave_fibers();

}  // namespace ravel::rt
