// Libraries whose threads or synchronization the runtime does not see: they talk to the kernel themselves.
// What is found in a program that has one may be ordered by it.
#pragma once

#include <link.h>

#include "runtime/code.h"

namespace ravel::rt {

/// Notes the module in the stream if it is such a library. An OpenMP runtime that tells of its
/// synchronization is none: its code is kept in mind (openmp_code).
void note_if_foreign(const char* path, const dl_phdr_info& info, const CodeRange& code);

}  // namespace ravel::rt
