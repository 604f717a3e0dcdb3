#include "runtime/system_call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "runtime/futex_call.h"
#include "runtime/intercept.h"
#include "runtime/intercept_io.h"
#include "runtime/intercept_sleep.h"
#include "runtime/run_random.h"
#include "runtime/sigsys.h"

RAVEL_REAL_TYPED(syscall, long (*)(long, ...))

namespace ravel::rt {
namespace {

template <typename Type>
Type* pointer(long argument) {
  return reinterpret_cast<Type*>(argument);
}

enum class Waits : std::uint8_t { Never, Futex, Yields, ForInput, ForOutput, Outside };

/// How the call waits, if it does.
Waits how_it_waits(const SystemCall& call) {
  switch (call.number) {
    case SYS_futex:
      return Waits::Futex;
    case SYS_sched_yield:
      return Waits::Yields;
    case SYS_read:
    case SYS_readv:
    case SYS_accept:
    case SYS_accept4:
    case SYS_recvfrom:
    case SYS_recvmsg:
      return Waits::ForInput;
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
      return Waits::ForOutput;
    case SYS_fcntl:
      return call.arguments[1] == F_SETLKW || call.arguments[1] == F_OFD_SETLKW ? Waits::Outside
                                                                                : Waits::Never;
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_connect:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_flock:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
    case SYS_io_getevents:
    case SYS_io_uring_enter:
    case SYS_futex_waitv:
      return Waits::Outside;
    default:
      return Waits::Never;
  }
}

int message_flags(const SystemCall& call) {
  switch (call.number) {
    case SYS_recvfrom:
    case SYS_sendto:
      return static_cast<int>(call.arguments[3]);
    case SYS_recvmsg:
    case SYS_sendmsg:
      return static_cast<int>(call.arguments[2]);
    default:
      return 0;
  }
}

long call_descriptor(const SystemCall& call, short events, Pc pc) {
  const int descriptor = static_cast<int>(call.arguments[0]);
  return reach_call(descriptor, events, message_flags(call), pc) ? call.run() : -errno;
}

long call_outside(Thread* self, const SystemCall& call, Pc pc) {
  const Operation operation{.kind = OperationKind::Block, .pc = pc};
  before(self, operation);
  const long result = call.run();
  after(self, operation);
  return result;
}

long sleep(const Thread* self, const SystemCall& call, clockid_t clock, int flags, const timespec* time,
           timespec* left, Pc pc) {
  return self != nullptr && is_sleep(time) ? -sleep_by_clock(clock, flags, *time, left, pc) : call.run();
}

/// What is the run's own: its time, its random numbers, and what must not happen to its signals.
long call_for_run(const Thread* self, const SystemCall& call, Pc pc) {
  const long* const a = call.arguments;
  timespec now{};
  switch (call.number) {
    case SYS_nanosleep:
      return sleep(self, call, CLOCK_MONOTONIC, 0, pointer<const timespec>(a[0]), pointer<timespec>(a[1]),
                   pc);
    case SYS_clock_nanosleep:
      return sleep(self, call, static_cast<clockid_t>(a[0]), static_cast<int>(a[1]),
                   pointer<const timespec>(a[2]), pointer<timespec>(a[3]), pc);
    case SYS_clock_gettime:
      if (a[1] == 0 || !look_at(static_cast<clockid_t>(a[0]), now)) return call.run();
      *pointer<timespec>(a[1]) = now;
      return 0;
    case SYS_gettimeofday:
      if (a[0] == 0 || !look_at(CLOCK_REALTIME, now)) return call.run();
      *pointer<timeval>(a[0]) = {now.tv_sec, now.tv_nsec / 1000};
      return 0;
    case SYS_time:
      if (!look_at(CLOCK_REALTIME, now)) return call.run();
      if (a[0] != 0) *pointer<time_t>(a[0]) = now.tv_sec;
      return now.tv_sec;
    case SYS_getrandom:
      return fill_randomly(pointer<void>(a[0]), static_cast<std::size_t>(a[1])) ? a[1] : call.run();
    case SYS_rt_sigprocmask:
      return call_sigprocmask(call);
    case SYS_rt_sigaction:
      return call_sigaction(call);
    default:
      return call.run();
  }
}

}  // namespace

long control_call(Thread* self, const SystemCall& call, Pc pc) {
  const Waits waits = how_it_waits(call);
  if (waits == Waits::Never) return call_for_run(self, call, pc);
  if (self == nullptr) return call.run();
  switch (waits) {
    case Waits::Futex:
      return call_futex(self, call, pc);
    case Waits::Yields:
      reach({.kind = OperationKind::Yield, .pc = pc});
      return 0;
    case Waits::ForInput:
      return call_descriptor(call, POLLIN, pc);
    case Waits::ForOutput:
      return call_descriptor(call, POLLOUT, pc);
    case Waits::Outside:
    case Waits::Never:
      break;
  }
  return call_outside(self, call, pc);
}

}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(long, syscall, long number, ...) {
  SystemCall call{.number = number, .arguments = {}};
  long* const a = call.arguments;
  va_list list;
  va_start(list, number);
  for (long& argument : call.arguments) argument = va_arg(list, long);
  va_end(list);
  // call_futex counts for itself.
  Thread* const self = number == SYS_futex ? calling_thread() : acting_thread();
  if (!controlled) return real_syscall()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const long result = control_call(self, call, RAVEL_CALLER);
  if (!is_error(result)) return result;
  errno = static_cast<int>(-result);
  return -1;
}
