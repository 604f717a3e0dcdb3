// Switching a thread's recording off and on, as annotations in the program ask for it.
#pragma once

#include "runtime/thread.h"

namespace ravel::rt {

/// Its plain accesses.
void ignore_accesses(Thread* self, bool on);
/// Its synchronization.
void ignore_synchronization(Thread* self, bool on);

}  // namespace ravel::rt
