// Sending signals to the program's own threads, and waiting for signals.
//
// In a controlled run a signal has arrived when the call that sends it returns: the thread it is for has kept
// it, and runs the handler when it is its turn. So what a signal does depends on the schedule alone. Signals
// from outside come when they come.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/intercept_thread.h"
#include "runtime/proc.h"
#include "runtime/run_time.h"
#include "runtime/seat.h"

RAVEL_REAL(kill)
RAVEL_REAL(pthread_kill)
RAVEL_REAL(pthread_sigqueue)
RAVEL_REAL(sigqueue)
RAVEL_REAL(pause)
RAVEL_REAL(sigsuspend)
RAVEL_REAL(sigwait)
RAVEL_REAL(sigwaitinfo)
RAVEL_REAL(sigtimedwait)

namespace ravel::rt {
namespace {

constexpr timespec kNoTime{};

constexpr std::uint64_t bit(int signal) { return std::uint64_t{1} << (signal - 1); }
std::uint64_t bits(const sigset_t* set) { return *reinterpret_cast<const std::uint64_t*>(set); }

/// A thread that has not begun lets nothing in.
bool lets_in(const Seat& seat, int signal) {
  return seat.state != Seat::State::Outside && seat.kernel_thread != 0 &&
         (blocked_signals(seat.kernel_thread) & bit(signal)) == 0;
}

/// The signal was sent to the thread, which does not run: waits until it has kept it.
void await_arrival(const Seat& seat) {
  constexpr int kLongest = 1'000'000;  // it could have died of it
  for (int i = 0; i < kLongest && !has_signal(*seat.state_of); ++i) yield_processor();
}

/// Sends by `real()` to the thread of this index.
template <typename Send>
int send_to(std::uint32_t index, int signal, Pc pc, Send real) {
  if (acting_thread() == nullptr || !controlled) return real();
  reach({.kind = OperationKind::Block, .pc = pc});
  const Seat* to = nullptr;
  for (const Seat* const seat : seats)
    if (seat->thread == index && seat->thread != this_thread->index) to = seat;
  const bool arrives = to != nullptr && handles_signal(signal) && lets_in(*to, signal);
  const int result = real();
  if (arrives && result == 0) await_arrival(*to);
  return result;
}

/// Sends a signal with a value to a thread. (The kernel lets nobody say it was a kill, to another thread.)
bool send_value(const Seat& to, int signal, sigval value) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = static_cast<pid_t>(process_id());
  info.si_uid = getuid();
  info.si_value = value;
  return system_call(SYS_rt_tgsigqueueinfo, info.si_pid, to.kernel_thread, signal,
                     reinterpret_cast<long>(&info)) == 0;
}

/// Sends by `real()` to the process, if that is this one: to its first thread that lets the signal in. If
/// that is the first of all, the kernel does the same.
template <typename Send>
int send_to_process(pid_t process, int signal, sigval value, Pc pc, Send real) {
  if (acting_thread() == nullptr || !controlled || process != static_cast<pid_t>(process_id())) return real();
  reach({.kind = OperationKind::Block, .pc = pc});
  if (!handles_signal(signal)) return real();
  for (const Seat* const seat : seats) {
    if (!lets_in(*seat, signal)) continue;
    const bool is_first = seat->kernel_thread == process_id();
    if (is_first ? real() != 0 : !send_value(*seat, signal, value)) return -1;
    if (seat->thread != this_thread->index) await_arrival(*seat);
    return 0;
  }
  return real();
}

/// In a controlled run: until one of the signals has come, which the thread blocks. Its number, or -1.
int take_signal(const sigset_t* set, siginfo_t* info, std::uint64_t deadline, Pc pc) {
  const Operation operation{.kind = OperationKind::Block, .pc = pc};
  reach(operation);
  while (true) {
    pthread_testcancel();
    const int signal = real_sigtimedwait()(set, info, &kNoTime);
    if (signal > 0 || errno != EAGAIN) return signal;
    switch (wait_for(operation, {.deadline = deadline, .for_signal = true, .signals = bits(set)})) {
      case Waking::Woken:
        continue;
      case Waking::TimedOut:
        errno = EAGAIN;
        return -1;
      case Waking::Interrupted:
      case Waking::Restarted:
        errno = EINTR;
        return -1;
    }
  }
}

/// In a controlled run: until a handler has run.
int await_handler(const sigset_t* mask, Pc pc) {
  const Operation operation{.kind = OperationKind::Block, .pc = pc};
  reach(operation);
  wait_masked(mask, [&] {
    Waking waking = Waking::Woken;
    while (waking == Waking::Woken) {
      pthread_testcancel();
      waking = wait_for(operation, {.for_signal = true});
    }
    return waking;
  });
  errno = EINTR;
  return -1;
}

bool waits_virtually() { return acting_thread() != nullptr && controlled; }

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(int, pthread_kill, pthread_t thread, int signal) {
  return send_to(index_of(thread), signal, RAVEL_CALLER, [=] { return real_pthread_kill()(thread, signal); });
}
RAVEL_INTERCEPT(int, pthread_sigqueue, pthread_t thread, int signal, const sigval value) {
  return send_to(index_of(thread), signal, RAVEL_CALLER,
                 [=] { return real_pthread_sigqueue()(thread, signal, value); });
}
RAVEL_INTERCEPT(int, kill, pid_t process, int signal) {
  return send_to_process(process, signal, {}, RAVEL_CALLER, [=] { return real_kill()(process, signal); });
}
RAVEL_INTERCEPT(int, sigqueue, pid_t process, int signal, const sigval value) {
  return send_to_process(process, signal, value, RAVEL_CALLER,
                         [=] { return real_sigqueue()(process, signal, value); });
}

RAVEL_INTERCEPT(int, pause, void) {
  return waits_virtually() ? await_handler(nullptr, RAVEL_CALLER) : real_pause()();
}
RAVEL_INTERCEPT(int, sigsuspend, const sigset_t* mask) {
  return waits_virtually() ? await_handler(mask, RAVEL_CALLER) : real_sigsuspend()(mask);
}
RAVEL_INTERCEPT(int, sigwait, const sigset_t* set, int* signal) {
  if (!waits_virtually()) return real_sigwait()(set, signal);
  int taken = 0;
  do taken = take_signal(set, nullptr, kNever, RAVEL_CALLER);
  while (taken < 0 && errno == EINTR);
  if (taken < 0) return errno;
  *signal = taken;
  return 0;
}
RAVEL_INTERCEPT(int, sigwaitinfo, const sigset_t* set, siginfo_t* info) {
  return waits_virtually() ? take_signal(set, info, kNever, RAVEL_CALLER) : real_sigwaitinfo()(set, info);
}
RAVEL_INTERCEPT(int, sigtimedwait, const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  if (!waits_virtually() || !is_time(timeout)) return real_sigtimedwait()(set, info, timeout);
  return take_signal(set, info, timeout == nullptr ? kNever : deadline_in(*timeout), RAVEL_CALLER);
}
