// System calls that the program makes by their numbers: through syscall() of the C library, or by
// instructions of its own (raw_calls.h).
#pragma once

#include "runtime/platform.h"
#include "runtime/recorder.h"

namespace ravel::rt {

/// Kept as the kernel takes it.
struct SystemCall {
  long number;
  long arguments[6];

  /// The kernel does it: -errno on failure.
  long run() const {
    const long* const a = arguments;
    return system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
};

/// In a controlled run, by a thread that calling_thread() knows or null: what waits, waits for the token, and
/// clocks and random numbers are those of the run, as they are for the C library's functions. -errno on
/// failure.
long control_call(Thread* self, const SystemCall& call, Pc pc);

}  // namespace ravel::rt
