// Libraries whose threads or synchronization the runtime does not see: they talk to the kernel themselves.
// What is found in a program that has one may be ordered by it.
#pragma once

#include <link.h>

namespace ravel::rt {

/// Notes the module in the stream if it is such a library.
void note_if_foreign(const char* path, const dl_phdr_info& info);

}  // namespace ravel::rt
