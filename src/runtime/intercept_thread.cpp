#include "runtime/intercept_thread.h"

#include <errno.h>
#include <string.h>

#include "runtime/fiber.h"
#include "runtime/intercept_mutex.h"
#include "runtime/run_time.h"

RAVEL_REAL(pthread_create)
RAVEL_REAL(pthread_join)
RAVEL_REAL(pthread_tryjoin_np)
RAVEL_REAL(pthread_timedjoin_np)
RAVEL_REAL(pthread_clockjoin_np)
RAVEL_REAL(pthread_setname_np)
RAVEL_REAL(pthread_cancel)
RAVEL_REAL(pthread_setcanceltype)

namespace ravel::rt {
namespace {

// Handles are addresses of thread descriptors, which glibc uses again: there are hardly more of them than
// threads at one time.
struct Handle {
  pthread_t handle;
  std::uint32_t index;
};
constexpr std::uint32_t kHandles = 1 << 17;
static_assert(kHandles > stream::kMaxThreads);
constinit Handle handles[kHandles] = {};
constinit std::uint32_t handles_used = 0;

/// The handle's entry, or the free one where it belongs.
Handle& find(pthread_t handle) {
  std::uint64_t at = (handle >> 6) * 0x9e3779b97f4a7c15ULL >> 40;
  while (true) {
    Handle& entry = handles[at++ & (kHandles - 1)];
    if (entry.handle == handle || entry.handle == 0) return entry;
  }
}

void* run_thread(void* child) {
  const Start start = begin_child(child);
  return reinterpret_cast<void* (*)(void*)>(start.routine)(start.argument);
}

constinit std::uint32_t key_made = 0;
pthread_key_t end_key;

/// Destructors of other keys may still lock and touch memory, so the thread's end waits for the last round.
void end_round(void* rounds) {
  const auto left = reinterpret_cast<std::uintptr_t>(rounds) - 1;
  if (left > 0 && pthread_setspecific(end_key, reinterpret_cast<void*>(left)) == 0) return;
  leave_fibers();
  if (this_thread != nullptr && recorder.recording) release_robust_mutexes(*this_thread);
  end_thread();
}

}  // namespace

namespace detail {

constinit SpinLock starting;

Thread* prepare_child(Thread& self, const Start& start) {
  const Inside inside(self);
  Thread* const child = make_thread(&self, false);
  if (child == nullptr) return nullptr;
  child->start_routine = start.routine;
  child->start_argument = start.argument;
  return child;
}

int await_end(const Operation& operation, pthread_t handle, std::uint64_t deadline) {
  const auto index = static_cast<std::uint32_t>(operation.argument);
  if (index == kNoThread || pthread_equal(handle, pthread_self()) != 0) return 0;
  stream::ThreadSlot* const slot = recorder.stream.slot(index);
  while (slot->ended.load(std::memory_order_acquire) == 0) {
    if (deadline == 0) return EBUSY;
    pthread_testcancel();
    if (wait_for(operation, {.object = slot, .deadline = deadline}) == Waking::TimedOut) return ETIMEDOUT;
  }
  return 0;
}

void discard_child(Thread* child) {
  child->slot->ended.store(1, std::memory_order_release);
  release_memory(child, child->memory);
}

void remember_handle(pthread_t handle, std::uint32_t index) {
  Handle& entry = find(handle);
  if (entry.handle == 0 && ++handles_used == kHandles) {
    --handles_used;  // one must stay free, for find() to end
    return;
  }
  entry = {handle, index};
}

}  // namespace detail

std::uint32_t index_of(pthread_t handle) {
  const Locked lock(detail::starting);
  const Handle& entry = find(handle);
  return entry.handle == handle ? entry.index : kNoThread;
}

Start begin_child(void* child) {
  auto* const self = static_cast<Thread*>(child);
  const Start start{self->start_routine, self->start_argument};
  if (self->seat != nullptr) sit_down(self->seat);
  begin_thread(self);
  change_signal_mask(self->start_mask);
  return start;
}

void end_with_thread() {
  if (key_made == 0) {
    const Locked lock(detail::starting);
    if (key_made == 0) {
      if (pthread_key_create(&end_key, end_round) != 0) return;
      __atomic_store_n(&key_made, 1, __ATOMIC_RELEASE);
    }
  }
  pthread_setspecific(end_key, reinterpret_cast<void*>(std::uintptr_t{PTHREAD_DESTRUCTOR_ITERATIONS}));
}

void remember_first_thread(std::uint32_t index) {
  const Locked lock(detail::starting);
  detail::remember_handle(pthread_self(), index);
}

void forget_handles() {
  detail::starting = {};
  memset(static_cast<void*>(handles), 0, sizeof handles);
  handles_used = 0;
}

}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(int, pthread_create, pthread_t* handle, const pthread_attr_t* attributes,
                void* (*routine)(void*), void* argument) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real_pthread_create()(handle, attributes, routine, argument);
  const auto create = [=](Thread* child) {
    if (child == nullptr) return real_pthread_create()(handle, attributes, routine, argument);
    if (sigset_t set; attributes != nullptr && pthread_attr_getsigmask_np(attributes, &set) == 0)
      child->start_mask = *reinterpret_cast<const std::uint64_t*>(&set);
    return real_pthread_create()(handle, attributes, run_thread, child);
  };
  return start_thread(self, handle, {reinterpret_cast<void*>(routine), argument}, RAVEL_CALLER, create);
}

RAVEL_INTERCEPT(int, pthread_join, pthread_t handle, void** result) {
  return join_thread(handle, kNever, RAVEL_CALLER, [=] { return real_pthread_join()(handle, result); });
}
// In a controlled run a thread that has ended for the runtime may not be gone for the kernel, and the time is
// not the kernel's.
RAVEL_INTERCEPT(int, pthread_tryjoin_np, pthread_t handle, void** result) {
  return join_thread(handle, 0, RAVEL_CALLER, [=] {
    return controlled ? real_pthread_join()(handle, result) : real_pthread_tryjoin_np()(handle, result);
  });
}
RAVEL_INTERCEPT(int, pthread_timedjoin_np, pthread_t handle, void** result, const timespec* until) {
  return join_thread(handle, deadline_of(CLOCK_REALTIME, until), RAVEL_CALLER, [=] {
    return controlled ? real_pthread_join()(handle, result)
                      : real_pthread_timedjoin_np()(handle, result, until);
  });
}
RAVEL_INTERCEPT(int, pthread_clockjoin_np, pthread_t handle, void** result, clockid_t clock,
                const timespec* until) {
  return join_thread(handle, deadline_of(clock, until), RAVEL_CALLER, [=] {
    return controlled ? real_pthread_join()(handle, result)
                      : real_pthread_clockjoin_np()(handle, result, clock, until);
  });
}

RAVEL_INTERCEPT(int, pthread_cancel, pthread_t handle) {
  const int result = real_pthread_cancel()(handle);
  if (controlled && result == 0)
    if (const std::uint32_t index = index_of(handle); index != kNoThread) nudge(index);
  return result;
}

// In a controlled run a thread that may be cancelled anywhere is cancelled where others may run: in the
// runtime's own code it must not be.
RAVEL_INTERCEPT(int, pthread_setcanceltype, int type, int* old) {
  const bool valid = type == PTHREAD_CANCEL_ASYNCHRONOUS || type == PTHREAD_CANCEL_DEFERRED;
  if (!controlled || !valid) return real_pthread_setcanceltype()(type, old);
  if (old != nullptr) *old = cancelled_anywhere ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  cancelled_anywhere = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  if (cancelled_anywhere) pthread_testcancel();
  return 0;
}

RAVEL_INTERCEPT(int, pthread_setname_np, pthread_t handle, const char* name) {
  const int result = real_pthread_setname_np()(handle, name);
  if (result != 0 || !recorder.recording) return result;
  if (pthread_equal(handle, pthread_self()) != 0) {
    if (Thread* const self = this_thread; self != nullptr) name_thread(*self->slot, name);
  } else if (const std::uint32_t index = index_of(handle); index != kNoThread) {
    name_thread(*recorder.stream.slot(index), name);
  }
  return result;
}
