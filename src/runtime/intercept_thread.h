// Threads: how a new one begins, for its POSIX and C11 names, and which thread a handle stands for.
#pragma once

#include <pthread.h>

#include "runtime/intercept.h"

namespace ravel::rt {

/// What a thread that is about to start finds in its state (Thread::start).
struct Start {
  void* routine;
  void* argument;
};

/// Makes the state of a child and starts it by `create(child)`, which returns 0 and sets `*handle` if it
/// could. `create` lets the child call begin_child first.
template <typename Create>
int start_thread(Thread* self, pthread_t* handle, const Start& start, Pc pc, Create create);

/// First act of a child: it is a thread of the runtime from here on.
Start begin_child(void* child);

/// Joins by `join()`, which returns 0 if the thread of this handle was joined. In a controlled run it is only
/// called for a thread that has ended; else EBUSY is the result for `deadline` 0, ETIMEDOUT for a later one.
template <typename Join>
int join_thread(pthread_t handle, std::uint64_t deadline, Pc pc, Join join);

inline constexpr std::uint32_t kNoThread = UINT32_MAX;
/// Index of the thread that had this handle last; kNoThread: unknown to the runtime.
std::uint32_t index_of(pthread_t handle);

namespace detail {
Thread* prepare_child(Thread& self, const Start& start);
void discard_child(Thread* child);
void remember_handle(pthread_t handle, std::uint32_t index);
extern SpinLock starting;
/// 0: the thread has ended, or nothing is known of it.
int await_end(const Operation& operation, pthread_t handle, std::uint64_t deadline);
}  // namespace detail

template <typename Create>
int start_thread(Thread* self, pthread_t* handle, const Start& start, Pc pc, Create create) {
  Thread* const child = detail::prepare_child(*self, start);
  if (child == nullptr) return create(nullptr);
  const std::uint32_t index = child->index;
  const Operation operation{.kind = OperationKind::Create, .argument = index, .pc = pc};
  before(self, operation);
  if (controlled) {
    await_ended_threads();
    child->seat = make_seat(*child);
  }
  Seat* const seat = child->seat;
  int result = 0;
  {
    // A signal must not come to the child before it has begun, nor here while the lock is taken. Handles are
    // used again: without the lock a short-lived child's could be another thread's by now.
    const std::uint64_t mask = child->start_mask = block_signals();
    {
      const Locked lock(detail::starting);
      result = create(child);
      if (result == 0) detail::remember_handle(*handle, index);
    }
    change_signal_mask(mask);
  }
  if (result != 0) detail::discard_child(child);
  if (seat != nullptr) result == 0 ? seat_child(seat) : discard_seat(seat);
  after(self, operation, result == 0);
  return result;
}

template <typename Join>
int join_thread(pthread_t handle, std::uint64_t deadline, Pc pc, Join join) {
  Thread* const self = acting_thread();
  if (self == nullptr) return join();
  // Before: once it is joined, its handle may be another thread's.
  const std::uint32_t index = index_of(handle);
  const Operation operation{.kind = OperationKind::Join, .argument = index, .pc = pc};
  before(self, operation);
  int result = controlled ? detail::await_end(operation, handle, deadline) : 0;
  if (result == 0) result = join();
  after(self, operation, result == 0 && index != kNoThread);
  return result;
}

}  // namespace ravel::rt
