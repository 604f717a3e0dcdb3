// Input and output: calls that may block, whose buffers the program shares with its threads.
//
// The buffer of a write is read before it, that of a read written after it; the descriptor orders the two.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/intercept_descriptor.h"
#include "runtime/run_time.h"

namespace ravel::rt {
namespace {

using Vector = const iovec;

/// In a controlled run: waits until the descriptors are ready, or time is up. False: a signal has come.
bool await_descriptors(const Operation& operation, pollfd* set, std::size_t count, std::uint64_t deadline) {
  const auto are_ready = [=] {
    return system_call(SYS_poll, reinterpret_cast<long>(set), static_cast<long>(count), 0) != 0;
  };
  while (!are_ready()) {
    switch (wait_for(operation, {.deadline = deadline, .descriptors = set, .descriptor_count = count})) {
      case Waking::Woken:
        break;
      case Waking::TimedOut:
        return true;
      case Waking::Interrupted:
        pthread_testcancel();
        errno = EINTR;
        return false;
    }
  }
  return true;
}

/// Files and devices take as long as they take; what goes to somebody else can block.
bool is_channel(int descriptor) {
  struct stat status{};
  return fstat(descriptor, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

bool never_blocks(int descriptor) { return (system_call(SYS_fcntl, descriptor, F_GETFL) & O_NONBLOCK) != 0; }

/// More than this may not fit, however ready the descriptor is.
constexpr std::size_t kSurelyFits = PIPE_BUF;

/// Runs a call that may block, as one. `events`: what the descriptor must be ready for; 0: for more than it
/// can say.
template <typename Call>
auto blocking(Thread* self, int descriptor, short events, Pc pc, Call real) {
  const Operation operation{
      .kind = OperationKind::Block, .argument = static_cast<std::uint64_t>(descriptor), .pc = pc};
  if (controlled && (events != 0 || !is_channel(descriptor) || never_blocks(descriptor))) {
    reach(operation);
    pollfd one{descriptor, events, 0};
    if (events != 0 && !never_blocks(descriptor) && !await_descriptors(operation, &one, 1, kNever))
      return static_cast<decltype(real())>(-1);
    return real();
  }
  before(self, operation);
  const auto result = real();
  after(self, operation, result >= 0);
  return result;
}

void touch_parts(Thread* self, Vector* parts, int count, std::size_t bytes, unsigned kind, Pc pc) {
  for (int i = 0; i < count && bytes > 0; ++i) {
    const std::size_t here = parts[i].iov_len < bytes ? parts[i].iov_len : bytes;
    touch(self, parts[i].iov_base, here, kind, pc);
    bytes -= here;
  }
}

template <typename Call>
ssize_t reads_into(int descriptor, void* buffer, Pc pc, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const ssize_t got = blocking(self, descriptor, POLLIN, pc, real);
  if (got < 0) return got;
  observe(self, descriptor, pc);
  touch(hot_thread, buffer, static_cast<std::size_t>(got), kWriteWord, pc);
  return got;
}

template <typename Call>
ssize_t reads_into_parts(int descriptor, Vector* parts, int count, Pc pc, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const ssize_t got = blocking(self, descriptor, POLLIN, pc, real);
  if (got < 0) return got;
  observe(self, descriptor, pc);
  touch_parts(hot_thread, parts, count, static_cast<std::size_t>(got), kWriteWord, pc);
  return got;
}

template <typename Call>
ssize_t writes_from(int descriptor, const void* buffer, std::size_t bytes, Pc pc, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  touch(hot_thread, buffer, bytes, kReadWord, pc);
  contribute(self, descriptor, pc);
  return blocking(self, descriptor, bytes <= kSurelyFits ? POLLOUT : 0, pc, real);
}

template <typename Call>
ssize_t writes_from_parts(int descriptor, Vector* parts, int count, Pc pc, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  touch_parts(hot_thread, parts, count, SIZE_MAX, kReadWord, pc);
  contribute(self, descriptor, pc);
  return blocking(self, descriptor, 0, pc, real);
}

/// Waits for descriptors. In a controlled run `set` are those, and the call is made when one is ready or time
/// is up: as `look`, which does not wait.
template <typename Call, typename Look>
int waits_for(pollfd* set, std::size_t count, std::uint64_t deadline, Pc pc, Call real, Look look) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  if (!controlled) return blocking(self, -1, 0, pc, real);
  const Operation operation{.kind = OperationKind::Block, .pc = pc};
  reach(operation);
  return await_descriptors(operation, set, count, deadline) ? look() : -1;
}

/// For a descriptor that stands for others.
template <typename Call, typename Look>
int waits_for_set(int descriptor, std::uint64_t deadline, Pc pc, Call real, Look look) {
  pollfd one{descriptor, POLLIN, 0};
  const int result = waits_for(&one, 1, deadline, pc, real, look);
  if (result > 0)
    if (Thread* const self = acting_thread(); self != nullptr) observe(self, descriptor, pc);
  return result;
}

std::uint64_t deadline_after(int milliseconds) {
  if (milliseconds < 0 || !controlled) return kNever;
  return deadline_in({milliseconds / 1000, milliseconds % 1000 * 1'000'000L});
}
std::uint64_t deadline_after(const timespec* time) {
  return time == nullptr || !controlled ? kNever : deadline_in(*time);
}

constexpr timespec kNoTime{};

/// The descriptors of a select, in an array of FD_SETSIZE.
std::size_t collect(int count, const fd_set* reads, const fd_set* writes, const fd_set* errors, pollfd* to) {
  std::size_t found = 0;
  for (int i = 0; i < count && i < FD_SETSIZE; ++i) {
    const auto has = [i](const fd_set* set) { return set != nullptr && FD_ISSET(i, set); };
    const int events = (has(reads) ? POLLIN : 0) | (has(writes) ? POLLOUT : 0) | (has(errors) ? POLLPRI : 0);
    if (events != 0) to[found++] = {i, static_cast<short>(events), 0};
  }
  return found;
}

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

// X(name, parameters, arguments, how the call is recorded)
#define RAVEL_IO(result, name, parameters, arguments, recorded, ...)                     \
  RAVEL_REAL_TYPED(name, result(*) parameters)                                           \
  RAVEL_INTERFACE result intercept_##name parameters __asm__(#name);                     \
  result intercept_##name parameters {                                                   \
    return recorded(__VA_ARGS__, RAVEL_CALLER, [=] { return real_##name() arguments; }); \
  }

RAVEL_IO(ssize_t, read, (int fd, void* to, std::size_t n), (fd, to, n), reads_into, fd, to)
RAVEL_IO(ssize_t, __read_chk, (int fd, void* to, std::size_t n, std::size_t room), (fd, to, n, room),
         reads_into, fd, to)
RAVEL_IO(ssize_t, pread, (int fd, void* to, std::size_t n, off_t at), (fd, to, n, at), reads_into, fd, to)
RAVEL_IO(ssize_t, pread64, (int fd, void* to, std::size_t n, off_t at), (fd, to, n, at), reads_into, fd, to)
RAVEL_IO(ssize_t, recv, (int fd, void* to, std::size_t n, int flags), (fd, to, n, flags), reads_into, fd, to)
RAVEL_IO(ssize_t, recvfrom, (int fd, void* to, std::size_t n, int flags, sockaddr* from, socklen_t* length),
         (fd, to, n, flags, from, length), reads_into, fd, to)
RAVEL_IO(ssize_t, readv, (int fd, const iovec* parts, int count), (fd, parts, count), reads_into_parts, fd,
         parts, count)
RAVEL_IO(ssize_t, preadv, (int fd, const iovec* parts, int count, off_t at), (fd, parts, count, at),
         reads_into_parts, fd, parts, count)
RAVEL_IO(ssize_t, recvmsg, (int fd, msghdr* message, int flags), (fd, message, flags), reads_into_parts, fd,
         message->msg_iov, static_cast<int>(message->msg_iovlen))

RAVEL_IO(ssize_t, write, (int fd, const void* from, std::size_t n), (fd, from, n), writes_from, fd, from, n)
RAVEL_IO(ssize_t, pwrite, (int fd, const void* from, std::size_t n, off_t at), (fd, from, n, at), writes_from,
         fd, from, n)
RAVEL_IO(ssize_t, pwrite64, (int fd, const void* from, std::size_t n, off_t at), (fd, from, n, at),
         writes_from, fd, from, n)
RAVEL_IO(ssize_t, send, (int fd, const void* from, std::size_t n, int flags), (fd, from, n, flags),
         writes_from, fd, from, n)
RAVEL_IO(ssize_t, sendto,
         (int fd, const void* from, std::size_t n, int flags, const sockaddr* to, socklen_t length),
         (fd, from, n, flags, to, length), writes_from, fd, from, n)
RAVEL_IO(ssize_t, writev, (int fd, const iovec* parts, int count), (fd, parts, count), writes_from_parts, fd,
         parts, count)
RAVEL_IO(ssize_t, pwritev, (int fd, const iovec* parts, int count, off_t at), (fd, parts, count, at),
         writes_from_parts, fd, parts, count)
RAVEL_IO(ssize_t, sendmsg, (int fd, const msghdr* message, int flags), (fd, message, flags),
         writes_from_parts, fd, message->msg_iov, static_cast<int>(message->msg_iovlen))

RAVEL_REAL(poll)
RAVEL_REAL_TYPED(ppoll, int (*)(pollfd*, nfds_t, const timespec*, const sigset_t*))
RAVEL_REAL_TYPED(select, int (*)(int, fd_set*, fd_set*, fd_set*, timeval*))
RAVEL_REAL_TYPED(pselect, int (*)(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*))
RAVEL_REAL(epoll_wait)
RAVEL_REAL(epoll_pwait)
RAVEL_REAL_TYPED(epoll_pwait2, int (*)(int, epoll_event*, int, const timespec*, const sigset_t*))

#define POLL(timeout) [=] { return real_poll()(set, count, timeout); }
RAVEL_INTERCEPT(int, poll, pollfd* set, nfds_t count, int timeout) {
  return waits_for(set, count, deadline_after(timeout), RAVEL_CALLER, POLL(timeout), POLL(0));
}
RAVEL_INTERCEPT(int, __poll_chk, pollfd* set, nfds_t count, int timeout, std::size_t /*room*/) {
  return waits_for(set, count, deadline_after(timeout), RAVEL_CALLER, POLL(timeout), POLL(0));
}
#define PPOLL(time) [=] { return real_ppoll()(set, count, time, mask); }
RAVEL_INTERCEPT(int, ppoll, pollfd* set, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  return waits_for(set, count, deadline_after(timeout), RAVEL_CALLER, PPOLL(timeout), PPOLL(&kNoTime));
}

#define SELECT(time) [=] { return real_select()(count, reads, writes, errors, time); }
RAVEL_INTERCEPT(int, select, int count, fd_set* reads, fd_set* writes, fd_set* errors, timeval* timeout) {
  pollfd set[FD_SETSIZE];
  const std::size_t found = controlled ? collect(count, reads, writes, errors, set) : 0;
  timeval none{};
  const timespec time = timeout == nullptr ? kNoTime : timespec{timeout->tv_sec, timeout->tv_usec * 1000};
  return waits_for(set, found, deadline_after(timeout == nullptr ? nullptr : &time), RAVEL_CALLER,
                   SELECT(timeout), SELECT(const_cast<timeval*>(&none)));
}
#define PSELECT(time) [=] { return real_pselect()(count, reads, writes, errors, time, mask); }
RAVEL_INTERCEPT(int, pselect, int count, fd_set* reads, fd_set* writes, fd_set* errors,
                const timespec* timeout, const sigset_t* mask) {
  pollfd set[FD_SETSIZE];
  const std::size_t found = controlled ? collect(count, reads, writes, errors, set) : 0;
  return waits_for(set, found, deadline_after(timeout), RAVEL_CALLER, PSELECT(timeout), PSELECT(&kNoTime));
}

#define EPOLL(timeout) [=] { return real_epoll_wait()(set, events, most, timeout); }
RAVEL_INTERCEPT(int, epoll_wait, int set, epoll_event* events, int most, int timeout) {
  return waits_for_set(set, deadline_after(timeout), RAVEL_CALLER, EPOLL(timeout), EPOLL(0));
}
#define EPOLL_MASKED(timeout) [=] { return real_epoll_pwait()(set, events, most, timeout, mask); }
RAVEL_INTERCEPT(int, epoll_pwait, int set, epoll_event* events, int most, int timeout, const sigset_t* mask) {
  return waits_for_set(set, deadline_after(timeout), RAVEL_CALLER, EPOLL_MASKED(timeout), EPOLL_MASKED(0));
}
#define EPOLL_PRECISE(time) [=] { return real_epoll_pwait2()(set, events, most, time, mask); }
RAVEL_INTERCEPT(int, epoll_pwait2, int set, epoll_event* events, int most, const timespec* timeout,
                const sigset_t* mask) {
  return waits_for_set(set, deadline_after(timeout), RAVEL_CALLER, EPOLL_PRECISE(timeout),
                       EPOLL_PRECISE(&kNoTime));
}

RAVEL_REAL_TYPED(accept, int (*)(int, sockaddr*, socklen_t*))
RAVEL_REAL_TYPED(accept4, int (*)(int, sockaddr*, socklen_t*, int))
RAVEL_REAL_TYPED(connect, int (*)(int, const sockaddr*, socklen_t))

namespace {

template <typename Call>
int accepts(int descriptor, Pc pc, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const int accepted = blocking(self, descriptor, POLLIN, pc, real);
  if (accepted < 0) return accepted;
  note_socket(accepted);
  observe(self, descriptor, pc);
  return accepted;
}

}  // namespace

RAVEL_INTERCEPT(int, accept, int fd, sockaddr* from, socklen_t* length) {
  return accepts(fd, RAVEL_CALLER, [=] { return real_accept()(fd, from, length); });
}
RAVEL_INTERCEPT(int, accept4, int fd, sockaddr* from, socklen_t* length, int flags) {
  return accepts(fd, RAVEL_CALLER, [=] { return real_accept4()(fd, from, length, flags); });
}
RAVEL_INTERCEPT(int, connect, int fd, const sockaddr* to, socklen_t length) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real_connect()(fd, to, length);
  contribute(self, fd, RAVEL_CALLER);
  return blocking(self, fd, 0, RAVEL_CALLER, [=] { return real_connect()(fd, to, length); });
}
