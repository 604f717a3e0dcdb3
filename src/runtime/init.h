// The runtime's beginning, end, and what happens around fork and exec.
#pragma once

namespace ravel::rt {

/// Reads RAVEL_OPTIONS and begins to record if it says so. Any number of calls; the first one counts.
void initialize();

/// A module whose code calls the hooks is there: said once in every stream. Any number of calls.
void note_instrumented();
bool is_instrumented();

/// In a forked child: it gets a stream of its own.
void after_fork_in_child();

/// The process ends in order.
void finish();

/// The image is about to be replaced, or was not.
void before_exec();
void after_failed_exec();

}  // namespace ravel::rt
