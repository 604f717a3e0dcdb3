// Order through file descriptors: who reads from a pipe has seen what the writer did before it wrote.
#pragma once

#include "runtime/intercept.h"

namespace ravel::rt {

/// What stands for whatever the descriptor leads to, as the `object` of Contribute and Observe; null: none.
const void* channel_of(int descriptor);

/// Both lead to the same new thing: the ends of a pipe.
void connect_descriptors(int a, int b);
/// The second one leads where the first one does.
void duplicate_descriptor(int from, int to);
/// A socket: whom it will talk to is not known.
void note_socket(int descriptor);
/// It leads nowhere, and will be used again.
void forget_descriptor(int descriptor);

// What an OpenMP runtime does with files of its own is nobody's business; it depends on what others have
// left.
RAVEL_INLINE void contribute(Thread* self, int descriptor, Pc pc) {
  if (is_openmp_code(pc)) return;
  if (const void* const channel = channel_of(descriptor); channel != nullptr)
    before(self, {.kind = OperationKind::Contribute, .object = channel, .pc = pc});
}
RAVEL_INLINE void observe(Thread* self, int descriptor, Pc pc) {
  if (is_openmp_code(pc)) return;
  if (const void* const channel = channel_of(descriptor); channel != nullptr)
    after(self, {.kind = OperationKind::Observe, .object = channel, .pc = pc});
}

}  // namespace ravel::rt
