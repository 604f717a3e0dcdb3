// The Tiddle compiler (Sadowski 2012, 24.4 and 24.5): a trace as a C++20 program that runs exactly that
// trace.
//
// In the deterministic program all threads move in lockstep: one operation a turn, and only the thread whose
// turn it is acts. The lockstep is in functions that tools must not see (no instrumentation, no intercepted
// call but sched_yield), so a tool sees the trace and nothing else. `PROGRAM --print` prints each operation
// when it is done.
//
// The trace must be well-formed; re-entrant acquires are left out. A read with a value aborts the program if
// it sees another one; a write without one writes what the next such read expects. Threads that the trace
// does not fork are started first, those that it does not join are joined last. Operations on the heap, on
// objects and late reports cannot be compiled; a wait and its wake-up are one call that also takes the lock's
// release and acquire in it.
#pragma once

#include <span>
#include <string>

#include "event/event.h"
#include "event/result.h"
#include "trace/tables.h"

namespace ravel {

enum class ProgramMode : std::uint8_t {
  Deterministic,
  Free,   ///< no lockstep: a small program in which the error may or may not happen
  Yield,  ///< the same, giving up the processor between operations
  Sleep,  ///< the same, with short random sleeps between operations
};

/// One trace to compile. The tables must outlive the call.
struct ProgramSource {
  std::span<const Event> events;
  const Tables& tables;
};

Result<std::string> compile_tiddle(const ProgramSource& source,
                                   ProgramMode mode = ProgramMode::Deterministic);

/// One program that runs the traces one after the other, each with its own variables.
Result<std::string> compile_tiddle_many(std::span<const ProgramSource> sources,
                                        ProgramMode mode = ProgramMode::Deterministic);

}  // namespace ravel
