// Input and output: calls that may block, whose buffers the program shares with its threads.
//
// The buffer of a write is read before it, that of a read written after it; the descriptor orders the two.
#include "runtime/intercept_io.h"

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

bool are_ready(pollfd* set, std::size_t count) {
  return system_call(SYS_poll, reinterpret_cast<long>(set), static_cast<long>(count), 0) != 0;
}

/// In a controlled run: waits until the descriptors are ready (Woken), time is up, or a signal has come.
Waking await_descriptors(const Operation& operation, pollfd* set, std::size_t count, std::uint64_t deadline) {
  while (true) {
    pthread_testcancel();
    if (are_ready(set, count)) return Waking::Woken;
    const Waking waking =
        wait_for(operation, {.deadline = deadline, .descriptors = set, .descriptor_count = count});
    if (waking != Waking::Woken) return waking;
  }
}

bool never_blocks(int descriptor) { return (system_call(SYS_fcntl, descriptor, F_GETFL) & O_NONBLOCK) != 0; }

/// When a call on the descriptor gives up, if it is a socket that has such a time.
std::uint64_t deadline_of_socket(int descriptor, short events) {
  timeval patience{};
  socklen_t length = sizeof patience;
  if (system_call(SYS_getsockopt, descriptor, SOL_SOCKET, events == POLLOUT ? SO_SNDTIMEO : SO_RCVTIMEO,
                  reinterpret_cast<long>(&patience), reinterpret_cast<long>(&length)) != 0 ||
      (patience.tv_sec == 0 && patience.tv_usec == 0))
    return kNever;
  return deadline_in({patience.tv_sec, patience.tv_usec * 1000});
}

/// In a controlled run: waits until the call will not block. False: it must not be made, for what errno says.
bool await_call(const Operation& operation, int descriptor, short events) {
  pollfd one{descriptor, events, 0};
  if (are_ready(&one, 1)) return true;
  const std::uint64_t deadline = deadline_of_socket(descriptor, events);
  Waking waking = Waking::Restarted;
  while (waking == Waking::Restarted) waking = await_descriptors(operation, &one, 1, deadline);
  if (waking == Waking::Woken) return true;
  errno = waking == Waking::TimedOut ? EAGAIN : EINTR;
  return false;
}

/// Only these take a part of a block and then no more; the rest comes and goes as a whole, or need not wait.
bool is_stream(int descriptor) {
  struct stat status{};
  if (system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) != 0) return false;
  if (S_ISFIFO(status.st_mode)) return true;
  int type = 0;
  socklen_t length = sizeof type;
  return S_ISSOCK(status.st_mode) &&
         system_call(SYS_getsockopt, descriptor, SOL_SOCKET, SO_TYPE, reinterpret_cast<long>(&type),
                     reinterpret_cast<long>(&length)) == 0 &&
         type == SOCK_STREAM;
}

/// More than this may not fit, however ready the descriptor is.
constexpr std::size_t kSurelyFits = PIPE_BUF;
constexpr int kNoFlags = 0;

/// Runs a call that may block, as one. `events`: what the descriptor must be ready for; 0: it is known to
/// nobody. `flags`: those of messages.
template <typename Call>
auto blocking(Thread* self, int descriptor, short events, int flags, Pc pc, Call real) {
  const Operation operation{
      .kind = OperationKind::Block, .argument = static_cast<std::uint64_t>(descriptor), .pc = pc};
  if (controlled && events != 0)
    return reach_call(descriptor, events, flags, pc) ? real() : static_cast<decltype(real())>(-1);
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
ssize_t reads_into(int descriptor, void* buffer, int flags, Pc pc, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const ssize_t got = blocking(self, descriptor, POLLIN, flags, pc, real);
  if (got < 0) return got;
  observe(self, descriptor, pc);
  touch(hot_thread, buffer, static_cast<std::size_t>(got), kWriteWord, pc);
  return got;
}

template <typename Call>
ssize_t reads_into_parts(int descriptor, Vector* parts, int count, int flags, Pc pc, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const ssize_t got = blocking(self, descriptor, POLLIN, flags, pc, real);
  if (got < 0) return got;
  observe(self, descriptor, pc);
  touch_parts(hot_thread, parts, count, static_cast<std::size_t>(got), kWriteWord, pc);
  return got;
}

/// In a controlled run: a block that may not fit is written piece by piece, and others run in between.
template <typename Call>
ssize_t writes_in_pieces(Thread* self, int descriptor, const void* buffer, std::size_t bytes, int flags,
                         Pc pc, Call real) {
  const auto* const from = static_cast<const char*>(buffer);
  std::size_t done = 0;
  while (done < bytes) {
    const std::size_t piece = bytes - done < kSurelyFits ? bytes - done : kSurelyFits;
    const ssize_t wrote =
        blocking(self, descriptor, POLLOUT, flags, pc, [=] { return real(from + done, piece); });
    if (wrote < 0) return done > 0 ? static_cast<ssize_t>(done) : wrote;
    done += static_cast<std::size_t>(wrote);
  }
  return static_cast<ssize_t>(done);
}

template <typename Call>
ssize_t writes_from(int descriptor, const void* buffer, std::size_t bytes, int flags, Pc pc, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real(buffer, bytes);
  touch(hot_thread, buffer, bytes, kReadWord, pc);
  contribute(self, descriptor, pc);
  if (controlled && bytes > kSurelyFits && (flags & MSG_DONTWAIT) == 0 && is_stream(descriptor) &&
      !never_blocks(descriptor))
    return writes_in_pieces(self, descriptor, buffer, bytes, flags, pc, real);
  return blocking(self, descriptor, POLLOUT, flags, pc, [=] { return real(buffer, bytes); });
}

template <typename Call>
ssize_t writes_from_parts(int descriptor, Vector* parts, int count, int flags, Pc pc, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  touch_parts(hot_thread, parts, count, SIZE_MAX, kReadWord, pc);
  contribute(self, descriptor, pc);
  std::size_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += parts[i].iov_len;
  const bool fits = controlled && (bytes <= kSurelyFits || !is_stream(descriptor));
  return blocking(self, descriptor, fits ? POLLOUT : 0, flags, pc, real);
}

/// Waits for descriptors. In a controlled run `set` are those, and the call is made when one is ready or time
/// is up: as `look`, which does not wait. `mask`: of signals, meanwhile; null: as it is.
template <typename Call, typename Look>
int waits_for(pollfd* set, std::size_t count, std::uint64_t deadline, const sigset_t* mask, Pc pc, Call real,
              Look look) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  if (!controlled) return blocking(self, -1, 0, kNoFlags, pc, real);
  const Operation operation{.kind = OperationKind::Block, .pc = pc};
  reach(operation);
  const Waking waking = wait_masked(mask, [&] { return await_descriptors(operation, set, count, deadline); });
  if (waking == Waking::Woken || waking == Waking::TimedOut) return look();
  errno = EINTR;
  return -1;
}

/// For a descriptor that stands for others.
template <typename Call, typename Look>
int waits_for_set(int descriptor, std::uint64_t deadline, const sigset_t* mask, Pc pc, Call real, Look look) {
  pollfd one{descriptor, POLLIN, 0};
  const int result = waits_for(&one, 1, deadline, mask, pc, real, look);
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

bool reach_call(int descriptor, short events, int message_flags, Pc pc) {
  const Operation operation{
      .kind = OperationKind::Block, .argument = static_cast<std::uint64_t>(descriptor), .pc = pc};
  reach(operation);
  return (message_flags & MSG_DONTWAIT) != 0 || never_blocks(descriptor) ||
         await_call(operation, descriptor, events);
}

}  // namespace ravel::rt

using namespace ravel::rt;

// X(name, parameters, arguments, how the call is recorded)
#define RAVEL_IO(result, name, parameters, arguments, recorded, ...)                     \
  RAVEL_REAL_TYPED(name, result(*) parameters)                                           \
  RAVEL_INTERFACE result intercept_##name parameters __asm__(#name);                     \
  result intercept_##name parameters {                                                   \
    return recorded(__VA_ARGS__, RAVEL_CALLER, [=] { return real_##name() arguments; }); \
  }

RAVEL_IO(ssize_t, read, (int fd, void* to, std::size_t n), (fd, to, n), reads_into, fd, to, kNoFlags)
RAVEL_IO(ssize_t, __read_chk, (int fd, void* to, std::size_t n, std::size_t room), (fd, to, n, room),
         reads_into, fd, to, kNoFlags)
RAVEL_IO(ssize_t, pread, (int fd, void* to, std::size_t n, off_t at), (fd, to, n, at), reads_into, fd, to,
         kNoFlags)
RAVEL_IO(ssize_t, pread64, (int fd, void* to, std::size_t n, off_t at), (fd, to, n, at), reads_into, fd, to,
         kNoFlags)
RAVEL_IO(ssize_t, recv, (int fd, void* to, std::size_t n, int flags), (fd, to, n, flags), reads_into, fd, to,
         flags)
RAVEL_IO(ssize_t, recvfrom, (int fd, void* to, std::size_t n, int flags, sockaddr* from, socklen_t* length),
         (fd, to, n, flags, from, length), reads_into, fd, to, flags)
RAVEL_IO(ssize_t, readv, (int fd, const iovec* parts, int count), (fd, parts, count), reads_into_parts, fd,
         parts, count, kNoFlags)
RAVEL_IO(ssize_t, preadv, (int fd, const iovec* parts, int count, off_t at), (fd, parts, count, at),
         reads_into_parts, fd, parts, count, kNoFlags)
RAVEL_IO(ssize_t, recvmsg, (int fd, msghdr* message, int flags), (fd, message, flags), reads_into_parts, fd,
         message->msg_iov, static_cast<int>(message->msg_iovlen), flags)

#define RAVEL_WRITE(name, parameters, arguments, flags)                                             \
  RAVEL_REAL_TYPED(name, ssize_t(*) parameters)                                                     \
  RAVEL_INTERFACE ssize_t intercept_##name parameters __asm__(#name);                               \
  ssize_t intercept_##name parameters {                                                             \
    const auto real = [=](const void* part, std::size_t bytes) { return real_##name() arguments; }; \
    return writes_from(fd, from, n, flags, RAVEL_CALLER, real);                                     \
  }

RAVEL_WRITE(write, (int fd, const void* from, std::size_t n), (fd, part, bytes), kNoFlags)
RAVEL_WRITE(pwrite, (int fd, const void* from, std::size_t n, off_t at), (fd, part, bytes, at), kNoFlags)
RAVEL_WRITE(pwrite64, (int fd, const void* from, std::size_t n, off_t at), (fd, part, bytes, at), kNoFlags)
RAVEL_WRITE(send, (int fd, const void* from, std::size_t n, int flags), (fd, part, bytes, flags), flags)
RAVEL_WRITE(sendto,
            (int fd, const void* from, std::size_t n, int flags, const sockaddr* to, socklen_t length),
            (fd, part, bytes, flags, to, length), flags)
RAVEL_IO(ssize_t, writev, (int fd, const iovec* parts, int count), (fd, parts, count), writes_from_parts, fd,
         parts, count, kNoFlags)
RAVEL_IO(ssize_t, pwritev, (int fd, const iovec* parts, int count, off_t at), (fd, parts, count, at),
         writes_from_parts, fd, parts, count, kNoFlags)
RAVEL_IO(ssize_t, sendmsg, (int fd, const msghdr* message, int flags), (fd, message, flags),
         writes_from_parts, fd, message->msg_iov, static_cast<int>(message->msg_iovlen), flags)

RAVEL_REAL(poll)
RAVEL_REAL_TYPED(ppoll, int (*)(pollfd*, nfds_t, const timespec*, const sigset_t*))
RAVEL_REAL_TYPED(select, int (*)(int, fd_set*, fd_set*, fd_set*, timeval*))
RAVEL_REAL_TYPED(pselect, int (*)(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*))
RAVEL_REAL(epoll_wait)
RAVEL_REAL(epoll_pwait)
RAVEL_REAL_TYPED(epoll_pwait2, int (*)(int, epoll_event*, int, const timespec*, const sigset_t*))

#define POLL(timeout) [=] { return real_poll()(set, count, timeout); }
RAVEL_INTERCEPT(int, poll, pollfd* set, nfds_t count, int timeout) {
  return waits_for(set, count, deadline_after(timeout), nullptr, RAVEL_CALLER, POLL(timeout), POLL(0));
}
RAVEL_INTERCEPT(int, __poll_chk, pollfd* set, nfds_t count, int timeout, std::size_t /*room*/) {
  return waits_for(set, count, deadline_after(timeout), nullptr, RAVEL_CALLER, POLL(timeout), POLL(0));
}
#define PPOLL(time) [=] { return real_ppoll()(set, count, time, mask); }
RAVEL_INTERCEPT(int, ppoll, pollfd* set, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  return waits_for(set, count, deadline_after(timeout), mask, RAVEL_CALLER, PPOLL(timeout), PPOLL(&kNoTime));
}

#define SELECT(time) [=] { return real_select()(count, reads, writes, errors, time); }
RAVEL_INTERCEPT(int, select, int count, fd_set* reads, fd_set* writes, fd_set* errors, timeval* timeout) {
  pollfd set[FD_SETSIZE];
  const std::size_t found = controlled ? collect(count, reads, writes, errors, set) : 0;
  timeval none{};
  const timespec time = timeout == nullptr ? kNoTime : timespec{timeout->tv_sec, timeout->tv_usec * 1000};
  return waits_for(set, found, deadline_after(timeout == nullptr ? nullptr : &time), nullptr, RAVEL_CALLER,
                   SELECT(timeout), SELECT(const_cast<timeval*>(&none)));
}
#define PSELECT(time) [=] { return real_pselect()(count, reads, writes, errors, time, mask); }
RAVEL_INTERCEPT(int, pselect, int count, fd_set* reads, fd_set* writes, fd_set* errors,
                const timespec* timeout, const sigset_t* mask) {
  pollfd set[FD_SETSIZE];
  const std::size_t found = controlled ? collect(count, reads, writes, errors, set) : 0;
  return waits_for(set, found, deadline_after(timeout), mask, RAVEL_CALLER, PSELECT(timeout),
                   PSELECT(&kNoTime));
}

#define EPOLL(timeout) [=] { return real_epoll_wait()(set, events, most, timeout); }
RAVEL_INTERCEPT(int, epoll_wait, int set, epoll_event* events, int most, int timeout) {
  return waits_for_set(set, deadline_after(timeout), nullptr, RAVEL_CALLER, EPOLL(timeout), EPOLL(0));
}
#define EPOLL_MASKED(timeout) [=] { return real_epoll_pwait()(set, events, most, timeout, mask); }
RAVEL_INTERCEPT(int, epoll_pwait, int set, epoll_event* events, int most, int timeout, const sigset_t* mask) {
  return waits_for_set(set, deadline_after(timeout), mask, RAVEL_CALLER, EPOLL_MASKED(timeout),
                       EPOLL_MASKED(0));
}
#define EPOLL_PRECISE(time) [=] { return real_epoll_pwait2()(set, events, most, time, mask); }
RAVEL_INTERCEPT(int, epoll_pwait2, int set, epoll_event* events, int most, const timespec* timeout,
                const sigset_t* mask) {
  return waits_for_set(set, deadline_after(timeout), mask, RAVEL_CALLER, EPOLL_PRECISE(timeout),
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
  const int accepted = blocking(self, descriptor, POLLIN, kNoFlags, pc, real);
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
  // In a controlled run nobody else runs meanwhile: to a server of the same program it takes no time.
  if (controlled) {
    reach({.kind = OperationKind::Block, .argument = static_cast<std::uint64_t>(fd), .pc = RAVEL_CALLER});
    return real_connect()(fd, to, length);
  }
  return blocking(self, fd, 0, kNoFlags, RAVEL_CALLER, [=] { return real_connect()(fd, to, length); });
}
