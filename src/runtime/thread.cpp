#include "runtime/thread.h"

#include <pthread.h>

#include "runtime/access.h"
#include "runtime/annex.h"
#include "runtime/bias.h"
#include "runtime/recorder.h"
#include "runtime/shared_reads.h"
#include "runtime/signal.h"
#include "runtime/token.h"

namespace ravel::rt {

constinit bool sees_accesses = true;
__thread Thread* hot_thread __attribute__((tls_model("initial-exec"))) = nullptr;
__thread Thread* this_thread __attribute__((tls_model("initial-exec"))) = nullptr;

constinit Incarnation incarnations[kIncarnations];

namespace {

/// What a thread does after its end (in destructors of other libraries) is lost.
__thread bool has_ended __attribute__((tls_model("initial-exec"))) = false;

constinit std::uint32_t incarnation_count = 1;  // 0 is nobody
constinit SpinLock making;

// A hot tag that no cell has.
constexpr std::uint64_t kNoTag = std::uint64_t{kNoIncarnation} << kIncarnationAt;

/// Epochs are few bits of a cell: a thread that has used them up goes on under a new number.
void reincarnate(Thread& self) {
  const Locked lock(making);
  if (incarnation_count < kNoIncarnation) {
    self.incarnation = incarnation_count++;
    self.time_base = self.time;
    const bool timed = self.order.clock != kNoClock;
    incarnations[self.incarnation] = {self.index, self.order.clock, self.time_base,
                                      timed ? self.order.base + self.time_base : kUnreached};
  } else {
    // No number left: its accesses are all recorded, so it need not own cells.
    self.incarnation = 0;
    self.time_base = self.time;
  }
}

constexpr std::size_t kStateBytes = (sizeof(Thread) + kPageBytes - 1) & ~(kPageBytes - 1);
constexpr std::size_t kCallBytes = sizeof(CallFrame) * Thread::kMaxCalls;

void find_stack(Thread& self) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    self.stack_low = reinterpret_cast<std::uintptr_t>(low);
    self.stack_high = self.stack_low + size;
  }
  pthread_attr_destroy(&attributes);
}

}  // namespace

void update_tag(Thread& self) {
  self.tag = static_cast<std::uint64_t>(self.incarnation) << kIncarnationAt | (self.time - self.time_base)
                                                                                  << kEpochAt;
  const bool glance = self.incarnation != 0 && recorder.filter == FilterLevel::Owner &&
                      switch_at == SwitchAt::Sync && self.written_value == nullptr;
  self.hot_tag = glance ? self.tag : kNoTag;
}

void advance_time(Thread& self) {
  ++self.time;
  if (self.incarnation != 0 && self.time - self.time_base >= kEpochs) [[unlikely]]
    reincarnate(self);
  update_tag(self);
}

Thread* make_thread(Thread* parent, bool foreign) {
  auto* const memory = static_cast<char*>(reserve_memory(kStateBytes + kCallBytes));
  if (memory == nullptr) {
    // Without its start and end, what it does would look unordered.
    recorder.stream.stop(stream::Stop::NoSpace);
    recorder.recording = false;
    return nullptr;
  }
  auto* const self = reinterpret_cast<Thread*>(memory);
  self->calls = reinterpret_cast<CallFrame*>(memory + kStateBytes);
  self->memory = kStateBytes + kCallBytes;
  self->time = 1;
  std::uint32_t index = 0;
  const std::uint32_t child = parent != nullptr ? parent->children++ : 0;
  const std::uint32_t parent_index = parent != nullptr ? parent->index : UINT32_MAX;
  self->slot = recorder.stream.take_slot(parent_index, child, foreign, index);
  if (self->slot == nullptr) {
    recorder.recording = false;
    release_memory(memory, self->memory);
    return nullptr;
  }
  self->index = index;
  self->work = work_of(index);
  begin_shared_reads(*self);
  begin_order(*self, parent);
  reincarnate(*self);
  update_tag(*self);
  return self;
}

void begin_thread(Thread* thread) {
  this_thread = thread;
  {
    const Quiet quiet;
    find_stack(*thread);
    end_with_thread();
    if (thread->index == 0) remember_first_thread(0);
  }
  switch_hooks(*thread);
  record_sync(*thread, {.kind = EventKind::ThreadStart});
  // Another thread may have used this stack before, and the thread-local variables at its end.
  if (thread->stack_high != 0 && thread->index != 0)
    memory_begins(*thread, thread->stack_low, thread->stack_high - thread->stack_low, 0);
}

void end_thread() {
  Thread* const self = this_thread;
  if (controlled && self != nullptr) reach({.kind = OperationKind::Exit});
  block_signals();  // what handlers do from here on would not be seen
  hot_thread = nullptr;
  this_thread = nullptr;
  has_ended = true;
  if (self == nullptr) return;
  give_shared_reads(*self);
  if (recorder.recording) record_sync(*self, {.kind = EventKind::ThreadExit});
  end_order(*self);
  self->slot->ended.store(1, std::memory_order_release);
  if (controlled) {
    wake_all(self->slot);
    stand_up();
  }
  release_memory(self, self->memory);
}

Thread* current_thread() {
  if (this_thread != nullptr || !recorder.recording || has_ended) return this_thread;
  Thread* const self = make_thread(nullptr, true);
  if (self == nullptr) return nullptr;
  if (controlled) join_run(*self);
  begin_thread(self);
  return self;
}

void name_thread(stream::ThreadSlot& slot, const char* name) {
  std::size_t length = 0;
  for (; name[length] != '\0' && length < sizeof slot.name - 1; ++length) slot.name[length] = name[length];
  slot.name[length] = '\0';
}

void restart_in_child() {
  const Thread* const parent = this_thread;
  const std::uint32_t quiet = parent != nullptr ? parent->quiet : 0;
  hot_thread = nullptr;
  this_thread = nullptr;
  making = {};
  incarnation_count = 1;
  forget_handles();
  if (!recorder.recording) return;
  forget_shadow();
  forget_annexes();
  forget_biases();
  forget_shared_reads();
  Thread* const self = make_thread(nullptr, false);
  if (self == nullptr) return;
  if (parent != nullptr) {  // it is still where it was called from
    self->depth = parent->depth < Thread::kMaxCalls ? parent->depth : Thread::kMaxCalls;
    for (std::uint32_t i = 0; i < self->depth; ++i)
      self->calls[i] = {parent->calls[i].call, parent->calls[i].stack, 0, false};
  }
  begin_thread(self);
  self->quiet = quiet;
  switch_hooks(*self);
}

}  // namespace ravel::rt
