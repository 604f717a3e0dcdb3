// SIGSYS: in a controlled run it tells the runtime of raw calls (raw_calls.h). A thread that blocks it when
// that happens is killed, so no thread ever does. What the program wants done with SIGSYS is kept in the
// kernel's place, for those that come from elsewhere: kill, or a filter of the program's own (seccomp).
#pragma once

#include <signal.h>

#include <cstdint>

#include "runtime/system_call.h"

namespace ravel::rt {

/// From now on; `handler` decides which of them are the program's.
void take_over_sigsys(void (*handler)(int, siginfo_t*, void*));
bool has_taken_over(int signal);
/// As sigaction does for other signals.
int exchange_sigsys(const struct sigaction* action, struct sigaction* old);
/// One that is the program's.
void deliver_sigsys(siginfo_t* info, void* context);

/// What of a mask the program may block.
std::uint64_t blockable(std::uint64_t mask);

/// rt_sigprocmask and rt_sigaction, by number.
long call_sigprocmask(const SystemCall& call);
long call_sigaction(const SystemCall& call);

}  // namespace ravel::rt
