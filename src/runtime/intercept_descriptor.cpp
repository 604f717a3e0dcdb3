// Making, copying and closing descriptors.
#include "runtime/intercept_descriptor.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

RAVEL_REAL_TYPED(pipe, int (*)(int*))
RAVEL_REAL_TYPED(pipe2, int (*)(int*, int))
RAVEL_REAL_TYPED(socketpair, int (*)(int, int, int, int*))
RAVEL_REAL_TYPED(socket, int (*)(int, int, int))
RAVEL_REAL_TYPED(dup, int (*)(int))
RAVEL_REAL_TYPED(dup2, int (*)(int, int))
RAVEL_REAL_TYPED(dup3, int (*)(int, int, int))
RAVEL_REAL_TYPED(close, int (*)(int))
RAVEL_REAL_TYPED(epoll_ctl, int (*)(int, int, int, epoll_event*))

namespace ravel::rt {
namespace {

constexpr int kDescriptors = 1 << 16;
constexpr std::uint16_t kSocket = 1;
constexpr std::uint16_t kFirstFree = 2;
constexpr std::uint16_t kChannels = 1 << 12;

/// By descriptor: 0 none but itself, else an index of `channels`.
constinit std::uint16_t leads_to[kDescriptors];
constinit std::uint32_t channels_used = 0;

// Only their addresses matter, one for each cell of the shadow.
constinit std::uint64_t channels[kChannels];
constinit std::uint64_t descriptors[kDescriptors];

bool is_known(int descriptor) { return descriptor >= 0 && descriptor < kDescriptors; }

void lead(int descriptor, std::uint16_t channel) {
  if (is_known(descriptor)) __atomic_store_n(&leads_to[descriptor], channel, __ATOMIC_RELAXED);
}

}  // namespace

const void* channel_of(int descriptor) {
  // Standard input and output lead to the outside.
  if (!is_known(descriptor)) return nullptr;
  const std::uint16_t channel = __atomic_load_n(&leads_to[descriptor], __ATOMIC_RELAXED);
  if (channel != 0) return &channels[channel];
  return descriptor > STDERR_FILENO ? &descriptors[descriptor] : nullptr;
}

void connect_descriptors(int a, int b) {
  // Used in turn: two pipes that share a channel order a little too much.
  const std::uint32_t next = __atomic_fetch_add(&channels_used, 1, __ATOMIC_RELAXED);
  const auto channel = static_cast<std::uint16_t>(kFirstFree + next % (kChannels - kFirstFree));
  lead(a, channel);
  lead(b, channel);
}

void duplicate_descriptor(int from, int to) {
  if (is_known(from)) lead(to, __atomic_load_n(&leads_to[from], __ATOMIC_RELAXED));
}

void note_socket(int descriptor) { lead(descriptor, kSocket); }
void forget_descriptor(int descriptor) { lead(descriptor, 0); }

}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(int, pipe, int* ends) {
  const int result = real_pipe()(ends);
  if (result == 0) connect_descriptors(ends[0], ends[1]);
  return result;
}
RAVEL_INTERCEPT(int, pipe2, int* ends, int flags) {
  const int result = real_pipe2()(ends, flags);
  if (result == 0) connect_descriptors(ends[0], ends[1]);
  return result;
}
RAVEL_INTERCEPT(int, socketpair, int domain, int type, int protocol, int* ends) {
  const int result = real_socketpair()(domain, type, protocol, ends);
  if (result == 0) connect_descriptors(ends[0], ends[1]);
  return result;
}
RAVEL_INTERCEPT(int, socket, int domain, int type, int protocol) {
  const int result = real_socket()(domain, type, protocol);
  if (result >= 0) note_socket(result);
  return result;
}

namespace {

/// A copy of a descriptor that had no channel needs one that both share from now on.
int share(int from, int to) {
  if (to < 0 || from == to) return to;
  if (const void* const channel = channel_of(from); channel != nullptr) {
    duplicate_descriptor(from, to);
    if (channel_of(to) != channel) connect_descriptors(from, to);
  }
  return to;
}

}  // namespace

RAVEL_INTERCEPT(int, dup, int from) { return share(from, real_dup()(from)); }
RAVEL_INTERCEPT(int, dup2, int from, int to) { return share(from, real_dup2()(from, to)); }
RAVEL_INTERCEPT(int, dup3, int from, int to, int flags) { return share(from, real_dup3()(from, to, flags)); }

RAVEL_INTERCEPT(int, close, int descriptor) {
  // Whoever reads on sees the end, and what came before it.
  if (Thread* const self = acting_thread(); self != nullptr) contribute(self, descriptor, RAVEL_CALLER);
  forget_descriptor(descriptor);
  return real_close()(descriptor);
}

RAVEL_INTERCEPT(int, epoll_ctl, int set, int operation, int descriptor, epoll_event* event) {
  if (Thread* const self = acting_thread(); self != nullptr) contribute(self, set, RAVEL_CALLER);
  return real_epoll_ctl()(set, operation, descriptor, event);
}
