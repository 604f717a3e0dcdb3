// Input and output: calls that may block, whose buffers the program shares with its threads.
//
// The buffer of a write is read before it, that of a read written after it; the descriptor orders the two.
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/intercept_descriptor.h"

namespace ravel::rt {
namespace {

using Vector = const iovec;

/// Runs a call that may block, as one.
template <typename Call>
auto blocking(Thread* self, int descriptor, Pc pc, Call real) {
  const Operation operation{
      .kind = OperationKind::Block, .argument = static_cast<std::uint64_t>(descriptor), .pc = pc};
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
  const ssize_t got = blocking(self, descriptor, pc, real);
  if (got < 0) return got;
  observe(self, descriptor, pc);
  touch(hot_thread, buffer, static_cast<std::size_t>(got), kWriteWord, pc);
  return got;
}

template <typename Call>
ssize_t reads_into_parts(int descriptor, Vector* parts, int count, Pc pc, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const ssize_t got = blocking(self, descriptor, pc, real);
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
  return blocking(self, descriptor, pc, real);
}

template <typename Call>
ssize_t writes_from_parts(int descriptor, Vector* parts, int count, Pc pc, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  touch_parts(hot_thread, parts, count, SIZE_MAX, kReadWord, pc);
  contribute(self, descriptor, pc);
  return blocking(self, descriptor, pc, real);
}

/// Waits for one of many descriptors, or for one that stands for them.
template <typename Call>
int waits_for(int descriptor, Pc pc, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const int result = blocking(self, descriptor, pc, real);
  if (result > 0 && descriptor >= 0) observe(self, descriptor, pc);
  return result;
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

RAVEL_IO(int, poll, (pollfd * set, nfds_t count, int timeout), (set, count, timeout), waits_for, -1)
RAVEL_IO(int, __poll_chk, (pollfd * set, nfds_t count, int timeout, std::size_t room),
         (set, count, timeout, room), waits_for, -1)
RAVEL_IO(int, ppoll, (pollfd * set, nfds_t count, const timespec* timeout, const sigset_t* mask),
         (set, count, timeout, mask), waits_for, -1)
RAVEL_IO(int, select, (int count, fd_set* reads, fd_set* writes, fd_set* errors, timeval* timeout),
         (count, reads, writes, errors, timeout), waits_for, -1)
RAVEL_IO(int, pselect,
         (int count, fd_set* reads, fd_set* writes, fd_set* errors, const timespec* timeout,
          const sigset_t* mask),
         (count, reads, writes, errors, timeout, mask), waits_for, -1)
RAVEL_IO(int, epoll_wait, (int set, epoll_event* events, int most, int timeout), (set, events, most, timeout),
         waits_for, set)
RAVEL_IO(int, epoll_pwait, (int set, epoll_event* events, int most, int timeout, const sigset_t* mask),
         (set, events, most, timeout, mask), waits_for, set)
RAVEL_IO(int, epoll_pwait2,
         (int set, epoll_event* events, int most, const timespec* timeout, const sigset_t* mask),
         (set, events, most, timeout, mask), waits_for, set)

RAVEL_REAL_TYPED(accept, int (*)(int, sockaddr*, socklen_t*))
RAVEL_REAL_TYPED(accept4, int (*)(int, sockaddr*, socklen_t*, int))
RAVEL_REAL_TYPED(connect, int (*)(int, const sockaddr*, socklen_t))

namespace {

template <typename Call>
int accepts(int descriptor, Pc pc, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const int accepted = blocking(self, descriptor, pc, real);
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
  return blocking(self, fd, RAVEL_CALLER, [=] { return real_connect()(fd, to, length); });
}
