// Signals that arrive while their thread is in the runtime wait until it leaves: a handler may do anything,
// with the runtime's locks held it could not.
#pragma once

#include "runtime/thread.h"

namespace ravel::rt {

/// The current thread is in a part of the runtime that a signal handler must not enter again.
class Inside {
 public:
  explicit Inside(Thread& self) : self_(self) { ++self.inside; }
  ~Inside() {
    if (--self_.inside == 0 && self_.pending_signals != 0) [[unlikely]]
      deliver_pending(self_);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Thread& self_;
};

/// Whether the program has handlers of signals.
bool handles_signals();

}  // namespace ravel::rt
