// Raw calls: system calls by instructions of the program's own, past the C library. Runtimes of other
// languages and g++'s OpenMP wait by them.
//
// In a controlled run the kernel tells of each of them by SIGSYS (Syscall User Dispatch, Linux 5.11), and it
// is done as the C library's syscall() is. Where the kernel cannot, they are not seen.
#pragma once

#include <linux/prctl.h>

#include <cstdint>

namespace ravel::rt {

/// The run is going to be controlled; threads are caught one by one.
void prepare_raw_calls();

/// Those of the calling thread, from now on; a new thread's and a forked child's are not.
void catch_raw_calls();
/// The calling thread ends.
void let_raw_calls_pass();

/// What the kernel looks at when the calling thread makes one.
extern __thread volatile std::uint8_t raw_call_filter __attribute__((tls_model("initial-exec")));
/// One that nobody can do in the thread's place has passed, and with it those that followed.
inline void catch_raw_calls_again() { raw_call_filter = SYSCALL_DISPATCH_FILTER_BLOCK; }

}  // namespace ravel::rt
