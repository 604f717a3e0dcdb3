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

/// Whether the program has handlers of signals; of this one.
bool handles_signals();
bool handles_signal(int signal);

/// A signal waits for the thread to leave the runtime. Of any thread.
inline bool has_signal(const Thread& thread) {
  return __atomic_load_n(&thread.pending_signals, __ATOMIC_ACQUIRE) != 0;
}
/// Its handler wants calls that can to go on.
bool wants_restart(const Thread& self);

/// How many handlers have run in the calling thread.
std::uint32_t handlers_run();
/// Of the calling thread; what the mask was.
std::uint64_t change_signal_mask(std::uint64_t mask);
/// All that others can send.
std::uint64_t block_signals();

}  // namespace ravel::rt
