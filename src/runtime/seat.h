// Seat: a thread's place in the queue for the token. Belongs to the token; its lock protects all of it.
#pragma once

#include <cstdint>
#include <span>

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
  Operation next;       ///< what it is about to do, or waits in
  WaitFor waits;        ///< if it is Waiting
  std::uint64_t since;  ///< the step in which it began to
  std::uint32_t held_count;
  Holding held[kHoldings];
};

/// Of all threads that have not ended. Only for who has the token.
std::span<Seat* const> all_seats();

/// No thread can go on: says so in the stream and ends the process.
[[noreturn]] void report_standstill(std::span<Seat* const> seats, std::uint64_t step);
/// The run has used up its steps.
[[noreturn]] void report_step_limit(std::uint64_t step, bool spinning);
/// The schedule could not be followed.
void report_departure(const Departure& departure);

}  // namespace ravel::rt
