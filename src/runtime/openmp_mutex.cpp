#include "runtime/openmp_mutex.h"

#include "runtime/intercept.h"
#include "runtime/pool.h"
#include "runtime/token.h"

namespace ravel::rt::omp {
namespace {

/// A mutex that is held as far as the recording goes.
struct Held {
  Held* next;
  std::uint64_t mutex;
};
struct Bucket {
  SpinLock lock;
  Held* first = nullptr;
};
constexpr std::size_t kBuckets = 256;
constinit Bucket buckets[kBuckets] = {};
constinit Pool<Held> held;

Bucket& bucket(std::uint64_t mutex) { return buckets[(mutex ^ mutex >> 8) >> 3 & (kBuckets - 1)]; }

bool hold(std::uint64_t mutex) {
  Bucket& those = bucket(mutex);
  const Locked lock(those.lock);
  for (const Held* one = those.first; one != nullptr; one = one->next)
    if (one->mutex == mutex) return false;
  Held* const one = held.take();
  one->mutex = mutex;
  one->next = those.first;
  those.first = one;
  return true;
}

void let_go(std::uint64_t mutex) {
  Bucket& those = bucket(mutex);
  const Locked lock(those.lock);
  for (Held** at = &those.first; *at != nullptr; at = &(*at)->next) {
    Held* const one = *at;
    if (one->mutex != mutex) continue;
    *at = one->next;
    return held.give_back(one);
  }
}

Operation mutex_operation(OperationKind kind, std::uint64_t mutex, const void* code) {
  return {.kind = kind, .object = reinterpret_cast<const void*>(mutex), .pc = reinterpret_cast<Pc>(code)};
}

OperationKind lock_kind(Mutex kind) {
  const bool tests = kind == Mutex::TestLock || kind == Mutex::TestNestLock;
  return tests ? OperationKind::TryLock : OperationKind::Lock;
}

}  // namespace

void mutex_acquire(Mutex kind, unsigned /*hint*/, unsigned /*implementation*/, std::uint64_t mutex,
                   const void* code) {
  const Operation operation = mutex_operation(lock_kind(kind), mutex, code);
  Thread* const self = acting_thread();
  before(self, operation);
  if (!controlled || self == nullptr || operation.kind != OperationKind::Lock) return;
  // LLVM's runtime would look for it in a loop, and nobody would know that the thread waits.
  while (is_held(operation.object, true)) wait_for(operation, {.object = operation.object});
}

void mutex_acquired(Mutex kind, std::uint64_t mutex, const void* code) {
  while (!hold(mutex)) {  // who had it is about to say so
    if (controlled)
      reach({.kind = OperationKind::Yield, .pc = reinterpret_cast<Pc>(code)});
    else
      yield_processor();
  }
  after(acting_thread(), mutex_operation(lock_kind(kind), mutex, code));
}

void mutex_released(Mutex /*kind*/, std::uint64_t mutex, const void* code) {
  Thread* const self = acting_thread();
  const Operation operation = mutex_operation(OperationKind::Unlock, mutex, code);
  before(self, operation);
  after(self, operation);
  if (controlled) free_everywhere(operation.object);  // whoever has taken it
  let_go(mutex);
}

void free_mutexes() {
  held.free_lock();
  for (Bucket& those : buckets) those = {};
}

}  // namespace ravel::rt::omp
