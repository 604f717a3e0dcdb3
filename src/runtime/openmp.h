// OpenMP runtimes that offer the tool interface (LLVM's libomp, Intel's): they call the runtime when threads
// synchronize, and it records that.
#pragma once

#include "runtime/code.h"

namespace ravel::rt {

/// Code of such a runtime. It tells how it orders the program's accesses, not its own.
extern CodeRange openmp_code;
inline bool is_openmp_code(std::uintptr_t pc) { return pc - openmp_code.begin < openmp_code.bytes; }

/// Whether such a runtime in this process will call.
bool openmp_is_seen();

/// In a forked child: no other thread is in the middle of anything.
void free_openmp_locks();

}  // namespace ravel::rt
