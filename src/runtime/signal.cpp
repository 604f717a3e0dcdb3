#include "runtime/signal.h"

namespace ravel::rt {

void deliver_pending(Thread& self) { self.pending_signals = 0; }

}  // namespace ravel::rt
