// Seats: the threads of a controlled run that have not ended, what each waits for and has taken. What they
// may do is up to the token (token.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/platform.h"
#include "runtime/signal.h"
#include "runtime/token.h"
#include "schedule/strategy.h"

namespace ravel::rt {

/// A lock that a thread has taken, or the like.
struct Holding {
  const void* object;
  Pc pc;
};

struct Seat {
  enum class State : std::uint8_t { Ready, Waiting, Outside, Ended };
  static constexpr std::uint32_t kHoldings = 64;

  std::uint32_t turn;  ///< futex: 1 if the token is the thread's, until it has noticed
  State state;
  bool timed_out;
  bool interrupted;
  std::uint32_t thread;  ///< index of its slot in the stream
  std::uint32_t kernel_thread;
  Thread* state_of;  ///< whose hooks these are
  ForkPath path;
  Operation next;               ///< what it is about to do, or waits in
  WaitFor waits;                ///< if it is Waiting
  std::uint64_t since;          ///< the step in which it began to
  std::uint32_t recent_steps;   ///< since somebody has begun to count (let_others_look)
  std::uint32_t recent_yields;  ///< those of them that only yielded
  std::uint32_t held_count;
  Holding held[kHoldings];
};

class Seats {
 public:
  /// False: there is no memory for them.
  bool reserve();
  void clear() { count_ = ended_count_ = 0; }
  void add(Seat& seat) { all_[count_++] = &seat; }
  /// Its thread ends, but may still be in the process.
  void remove(Seat& seat);
  /// One that was removed; null: none is left. Whoever takes it sees to its memory.
  Seat* last_ended() const { return ended_count_ == 0 ? nullptr : ended_[ended_count_ - 1]; }
  void forget_last_ended() { --ended_count_; }

  // By the index of their threads.
  Seat* const* begin() const { return all_; }
  Seat* const* end() const { return all_ + count_; }
  std::size_t size() const { return count_; }

  SpinLock guard;  ///< protects all of them

 private:
  Seat** all_ = nullptr;
  std::size_t count_ = 0;
  Seat** ended_ = nullptr;
  std::size_t ended_count_ = 0;
};
extern Seats seats;

/// The calling thread's; null: it is not controlled.
extern __thread Seat* own_seat __attribute__((tls_model("initial-exec")));

/// Has the guard. Signals wait meanwhile, for their handlers may want it.
class Guarded {
 public:
  Guarded() : thread_(this_thread) {
    if (thread_ != nullptr) ++thread_->inside;
    seats.guard.lock();
  }
  ~Guarded() {
    seats.guard.unlock();
    if (thread_ != nullptr && --thread_->inside == 0 && thread_->pending_signals != 0)
      deliver_pending(*thread_);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

 private:
  Thread* thread_;
};

/// No thread can go on: says so in the stream and ends the process.
[[noreturn]] void report_standstill(std::uint64_t step);
/// The run has used up its steps.
[[noreturn]] void report_step_limit(std::uint64_t step, bool livelock);
/// The schedule could not be followed.
void report_departure(const Departure& departure);

}  // namespace ravel::rt
