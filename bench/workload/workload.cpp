#include "workload/workload.h"

#include <fmt/format.h>

#include <algorithm>

namespace ravel {
namespace {

// The program's text: so many places access variables, so many take locks.
constexpr std::uint32_t kAccessPlaces = 2000;
constexpr std::uint32_t kLockPlaces = 200;

}  // namespace

Workload::Workload(const WorkloadParameters& parameters)
    : parameters_(parameters),
      random_(parameters.seed),
      threads_(parameters.threads),
      taken_(parameters.locks) {
  for (std::uint32_t i = 0; i < parameters.threads; ++i) tables_.threads.push_back(fmt::format("T{}", i));
  for (std::uint32_t i = 0; i < parameters.locks; ++i) tables_.locks.push_back(fmt::format("L{}", i));
  for (std::uint32_t i = 0; i < parameters.variables; ++i) tables_.variables.push_back(fmt::format("V{}", i));
  tables_.units.emplace_back("work");
  for (std::uint32_t i = 0; i < kAccessPlaces + kLockPlaces; ++i) tables_.places.push_back({"", i + 1, ""});
}

void Workload::emit(EventKind kind, ThreadId thread, std::uint64_t target, std::uint32_t place,
                    std::uint32_t width) {
  Event event;
  event.kind = kind;
  event.thread = thread;
  event.target = target;
  event.place = PlaceId(place);
  event.width = width;
  event.position = ++position_;
  out_->push_back(event);
}

void Workload::next(std::vector<Event>& batch, std::size_t count, bool last) {
  batch.clear();
  out_ = &batch;
  if (position_ == 0) {
    for (std::uint32_t i = 1; i < parameters_.threads; ++i)
      emit(EventKind::Fork, ThreadId(0U), i, kAccessPlaces);
  }
  while (batch.size() < count) {
    const ThreadId id(below(parameters_.threads));
    for (std::uint32_t slice = 1 + below(2 * parameters_.slice); slice > 0; --slice)
      step(id, threads_[id.index()], false);
  }
  if (!last) return;
  for (std::uint32_t i = 0; i < parameters_.threads; ++i)
    while (!threads_[i].held.empty() || threads_[i].in_unit || threads_[i].unprotected)
      step(ThreadId(i), threads_[i], true);
  for (std::uint32_t i = 1; i < parameters_.threads; ++i)
    emit(EventKind::Join, ThreadId(0U), i, kAccessPlaces);
}

void Workload::step(ThreadId id, Thread& thread, bool winding_up) {
  const bool in_section = !thread.held.empty() || thread.unprotected;
  if (thread.left > 0 && !winding_up) {
    --thread.left;
    const bool nest =
        in_section && thread.held.size() < 3 && chance(parameters_.nesting / parameters_.section);
    // Locks are nested in the order of their numbers: no deadlock.
    const std::uint32_t inner = thread.variable_lock + 1 + below(4);
    if (nest && inner < parameters_.locks && !taken_[inner]) return enter(id, thread, inner);
    return access(id, thread);
  }
  if (in_section) return leave(id, thread);
  if (thread.in_unit) {
    thread.in_unit = false;
    return emit(EventKind::UnitEnd, id, 0, kAccessPlaces + 1);
  }
  if (winding_up) return;
  thread.left = 1 + below(2 * parameters_.section);
  if (!chance(parameters_.contention)) return access(id, thread);
  if (chance(parameters_.units)) {
    thread.in_unit = true;
    emit(EventKind::UnitBegin, id, 0, kAccessPlaces + 1);
  }
  const std::uint32_t lock = below(parameters_.locks);
  if (chance(parameters_.racy)) {
    thread.unprotected = true;
    thread.variable_lock = lock;
  } else if (!taken_[lock]) {
    enter(id, thread, lock);
  }
}

void Workload::enter(ThreadId id, Thread& thread, std::uint32_t lock) {
  taken_[lock] = true;
  thread.held.push_back(lock);
  thread.variable_lock = lock;
  thread.left += 1 + below(2 * parameters_.section);
  emit(EventKind::Acquire, id, synthetic_address(TargetSpace::Lock, lock),
       kAccessPlaces + lock % kLockPlaces);
}

void Workload::leave(ThreadId id, Thread& thread) {
  if (thread.held.empty()) {
    thread.unprotected = false;
    return;
  }
  const std::uint32_t lock = thread.held.back();
  thread.held.pop_back();
  taken_[lock] = false;
  if (!thread.held.empty()) thread.variable_lock = thread.held.back();
  emit(EventKind::Release, id, synthetic_address(TargetSpace::Lock, lock),
       kAccessPlaces + (lock + 1) % kLockPlaces);
}

// The first half of the variables is divided among the locks, a quarter among the threads, the rest is only
// read.
void Workload::access(ThreadId id, Thread& thread) {
  const std::uint32_t quarter = parameters_.variables / 4;
  std::uint32_t variable = 0;
  bool write = chance(0.3);
  if (!thread.held.empty() || thread.unprotected) {
    const std::uint32_t each = std::max(2 * quarter / parameters_.locks, 1U);
    variable = thread.variable_lock * each + below(each);
  } else if (chance(0.8)) {
    const std::uint32_t each = std::max(quarter / parameters_.threads, 1U);
    variable = 2 * quarter + id.value * each + below(each);
  } else {
    variable = 3 * quarter + below(std::max(parameters_.variables - 3 * quarter, 1U));
    write = false;
  }
  variable = std::min(variable, parameters_.variables - 1);
  const std::uint32_t place = (variable * 7 + (write ? 1U : 0U) + below(2) * 2) % kAccessPlaces;
  emit(write ? EventKind::Write : EventKind::Read, id, synthetic_address(TargetSpace::Variable, variable),
       place, kSyntheticWidth);
}

}  // namespace ravel
