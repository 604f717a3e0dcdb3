// Memory that is allocated again is other memory: the same trace with addresses of its own for each
// allocation.
//
// Which address an allocator hands out depends on who freed what before, and another order of the run has
// other addresses. What the run does with the memory is the same, unless the program looks at the addresses:
// that it does not is an assumption of all that is predicted. So a correct reordering is one of this trace.
// Without this, two threads that never run at the same time would be ordered by their stacks and by whatever
// the C++ library allocates to start them.
#pragma once

#include "witness/small_trace.h"

namespace ravel {

/// Positions stay. A lock is released at the address at which it was acquired, whatever became of its memory.
SmallTrace with_fresh_memory(SmallTrace trace);

}  // namespace ravel
