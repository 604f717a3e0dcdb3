// Token: in a controlled run one thread runs at a time, the one that has the token.
//
// At every operation (operation.h) the thread that runs asks the strategy who goes on. A thread that cannot
// go on waits here, never in the kernel: for an object that somebody must wake, for its time to come, or for
// a descriptor. Time is that of the run (run_time.h); a thread that waits for it may be chosen like any
// other, and then the time has come. Calls that wait for the world go outside: the token is somebody else's
// meanwhile.
//
// All functions act for the calling thread. They do nothing useful unless `controlled`.
#pragma once

#include <poll.h>

#include <cstdint>

#include "runtime/operation.h"
#include "schedule/schedule.h"

namespace ravel::rt {

struct Seat;

extern bool controlled;
/// Where the run may go over to another thread.
extern SwitchAt switch_at;

inline constexpr std::uint64_t kNever = UINT64_MAX;

/// Begins the run: the calling thread is the only one, and has the token. False, after a message: it cannot.
bool start_control(const char* schedule_file);
/// In a forked child: the calling thread is the only one.
void restart_control();
/// The process ends by itself.
void end_control();

/// The thread is about to do it; others may go first.
void reach(const Operation& operation);

/// Why a wait has ended. Who is Woken looks whether that is what it waited for: it may also be cancelled.
enum class Waking : std::uint8_t {
  Woken,
  TimedOut,
  Interrupted,  ///< by a signal, whose handler has run
  Restarted,    ///< the same, but calls that can shall go on (SA_RESTART)
};

struct WaitFor {
  const void* object = nullptr;  ///< until somebody wakes it
  std::uint64_t deadline = kNever;
  std::uint32_t bits = ~0U;             ///< of the wakers, those that have one of these
  const std::uint32_t* word = nullptr;  ///< until it is no longer `value`
  std::uint32_t value = 0;
  pollfd* descriptors = nullptr;  ///< until one of them is ready
  std::size_t descriptor_count = 0;
  bool shared = false;        ///< with other processes, who may wake it unseen
  bool for_signal = false;    ///< until a signal comes: for a handler, or...
  std::uint64_t signals = 0;  ///< ... one of these, which the thread blocks
};
Waking wait_for(const Operation& operation, const WaitFor& what);

/// All threads that wait for it may go on.
void wake_all(const void* object);
/// One of them, whom the strategy chooses.
void wake_chosen(const void* object);
/// Those who wait longest, up to `most`; how many it were.
std::size_t wake_first(const void* object, std::size_t most, std::uint32_t bits = ~0U);
/// Those who still wait for `from` wait for `to`, up to `most`; how many it were.
std::size_t move_waiters(const void* from, const void* to, std::size_t most);

/// Until all other threads that can go on have yielded a few times, or done many things: who looks for what
/// this thread has changed, and yields in between, has seen it.
void let_others_look(Pc pc);

/// Nothing more is known of the thread until it is back.
void go_outside();
void come_back();

/// The thread has the object, since here; as reports of deadlocks say it.
void hold(const void* object, Pc pc);
void let_go(const void* object);
/// Whoever has it.
void free_everywhere(const void* object);
bool is_held(const void* object, bool by_others);

/// For a thread that is about to be started; null: there is no memory.
Seat* make_seat(const Thread& thread);
/// It was started, or could not be.
void seat_child(Seat* seat);
void discard_seat(Seat* seat);
/// First act of the new thread.
void sit_down(Seat* seat);
/// The calling thread was not started through the runtime.
void join_run(Thread& self);
/// Last act of a thread.
void stand_up();
/// The thread of this index looks whether it was cancelled, if it waits.
void nudge(std::uint32_t thread);
/// Whether the calling thread may be cancelled wherever it is (intercept_thread.cpp).
extern __thread bool cancelled_anywhere __attribute__((tls_model("initial-exec")));
/// Waits until threads that have ended are gone from the process, so that what they had can be used again.
void await_ended_threads();

/// The thread that runs has changed what another one may look at, or looked at the time.
void note_progress();

/// Tries until it succeeds or time is up (ETIMEDOUT), and waits in between; `attempt` returns EBUSY for now.
template <typename Attempt>
int try_until(const Operation& operation, std::uint64_t deadline, bool shared, Attempt attempt) {
  constexpr int kBusy = 16, kTimedOut = 110;  // EBUSY, ETIMEDOUT
  while (true) {
    const int result = attempt();
    if (result != kBusy) return result;
    if (wait_for(operation, {.object = operation.object, .deadline = deadline, .shared = shared}) ==
        Waking::TimedOut)
      return kTimedOut;
  }
}

}  // namespace ravel::rt
