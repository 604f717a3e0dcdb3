// The futex system call in a controlled run: atomic waits, latches and semaphores of the C++ library wait by
// it, and so do runtimes of languages and of OpenMP.
#pragma once

#include "runtime/intercept.h"
#include "runtime/system_call.h"

namespace ravel::rt {

/// Who waits, waits for the token; who wakes, wakes those, and others outside if the futex may be shared.
/// -errno on failure.
long call_futex(Thread* self, const SystemCall& call, Pc pc);

}  // namespace ravel::rt
