#include "witness/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace ravel {
namespace {

constexpr std::size_t kBarrierThreads = 2;
constexpr std::uint32_t kUnits = 2;
constexpr std::size_t kOpenUnits = 2;

/// splitmix64: the standard distributions differ between libraries, this does not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return mix(state_++, 0); }
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(next() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <typename Range>
  auto pick(const Range& range) {
    return range[below(std::size(range))];
  }

 private:
  std::uint64_t state_;
};

class Generator {
 public:
  Generator(std::uint64_t seed, const TraceShape& shape)
      : shape_(shape),
        random_(mix(seed, 1)),
        threads_(shape.threads),
        locks_(shape.locks),
        memory_(shape.variables) {
    for (std::uint32_t t = 0; t < shape.threads; ++t)
      threads_[t].begun = !shape.forks || t == 0 || random_.one_in(4);
  }

  SmallTrace make() {
    // A step may find nothing to do for its thread (it waits): bounded, since all may be waiting for good.
    for (std::uint32_t step = 0; step < 16 * shape_.events && trace_.events.size() < shape_.events; ++step)
      act(random_.below(shape_.threads));
    close_sections();
    name_everything();
    return std::move(trace_);
  }

 private:
  struct Held {
    std::uint32_t lock;
    bool shared;
  };
  struct Thread {
    bool begun = false;
    bool ended = false;
    bool at_barrier = false;
    bool may_leave = false;
    bool waiting = false;
    bool notified = false;
    std::optional<Held> requested;
    std::vector<Held> held;
    std::vector<std::uint32_t> units;
  };
  struct Lock {
    bool owned = false;
    std::uint32_t readers = 0;
  };
  struct Variable {
    bool freed = false;
    std::uint64_t value = 0;
  };
  // What a thread may do next, by weight.
  enum class Action : std::uint8_t {
    Access,
    Acquire,
    Release,
    Fork,
    Join,
    BeginUnit,
    EndUnit,
    Fence,
    Arrive,
    Wait,
    Notify,
    Free,
    Alloc
  };

  void emit(std::uint32_t thread, EventKind kind, std::uint64_t target, std::uint32_t width = 0,
            MemoryOrder order = MemoryOrder::None, std::optional<std::uint64_t> value = {}) {
    Event event;
    event.kind = kind;
    event.order = order;
    event.thread = ThreadId(thread);
    event.target = target;
    event.width = width;
    event.has_value = value.has_value();
    event.value = value.value_or(0);
    event.position = trace_.events.size() + 1;
    event.place = PlaceId(trace_.events.size());
    trace_.events.push_back(event);
  }

  void act(std::uint32_t t) {
    Thread& self = threads_[t];
    if (!self.begun || self.ended) return;
    if (self.at_barrier) return leave_barrier(t);
    if (self.waiting) {
      if (!self.notified) return;
      self.waiting = self.notified = false;
      return emit(t, EventKind::WaitEnd, synthetic_address(TargetSpace::Condition, 0));
    }
    if (self.requested) return acquire(t, *self.requested);
    static constexpr std::array kWeights = {
        std::pair(Action::Access, 8),  std::pair(Action::Acquire, 4), std::pair(Action::Release, 4),
        std::pair(Action::Fork, 4),    std::pair(Action::Join, 2),    std::pair(Action::BeginUnit, 2),
        std::pair(Action::EndUnit, 2), std::pair(Action::Fence, 2),   std::pair(Action::Arrive, 2),
        std::pair(Action::Wait, 2),    std::pair(Action::Notify, 2),  std::pair(Action::Free, 1),
        std::pair(Action::Alloc, 1)};
    int total = 0;
    for (const auto& [action, weight] : kWeights) total += weight;
    int drawn = static_cast<int>(random_.below(static_cast<std::size_t>(total)));
    for (const auto& [action, weight] : kWeights) {
      drawn -= weight;
      if (drawn < 0) return perform(t, action);
    }
  }

  /// Does nothing where the shape or the moment does not allow the action.
  void perform(std::uint32_t t, Action action) {
    Thread& self = threads_[t];
    const std::uint64_t condition = synthetic_address(TargetSpace::Condition, 0);
    switch (action) {
      case Action::Access:
        return access(t);
      case Action::Acquire:
        return begin_section(t);
      case Action::Release:
        if (!self.held.empty())
          release(t, shape_.nested_releases ? self.held.size() - 1 : random_.below(self.held.size()));
        return;
      case Action::Fork:
        return fork(t);
      case Action::Join:
        return join(t);
      case Action::BeginUnit:
        if (!shape_.units || self.units.size() == kOpenUnits) return;
        self.units.push_back(random_.below(kUnits));
        return emit(t, EventKind::UnitBegin, self.units.back());
      case Action::EndUnit:
        if (!self.units.empty()) end_unit(t);
        return;
      case Action::Fence: {
        static constexpr std::array kOrders = {MemoryOrder::Acquire, MemoryOrder::Release,
                                               MemoryOrder::AcqRel, MemoryOrder::SeqCst};
        if (shape_.atomics) emit(t, EventKind::Fence, 0, 0, random_.pick(kOrders));
        return;
      }
      case Action::Arrive:
        if (!shape_.barriers || at_barrier_.size() == kBarrierThreads) return;
        self.at_barrier = true;
        self.may_leave = false;
        at_barrier_.push_back(t);
        if (at_barrier_.size() == kBarrierThreads) {
          for (const std::uint32_t met : at_barrier_) threads_[met].may_leave = true;
          at_barrier_.clear();
        }
        return emit(t, EventKind::BarrierEnter, synthetic_address(TargetSpace::Barrier, 0));
      case Action::Wait:
        if (!shape_.waits) return;
        self.waiting = true;
        return emit(t, EventKind::WaitBegin, condition);
      case Action::Notify: {
        if (!shape_.waits) return;
        const bool all = random_.one_in(2);
        for (Thread& other : threads_) {
          if (!other.waiting || other.notified) continue;
          other.notified = true;
          if (!all) break;
        }
        return emit(t, all ? EventKind::NotifyAll : EventKind::Notify, condition);
      }
      case Action::Free:
      case Action::Alloc: {
        if (!shape_.blocks || shape_.variables == 0) return;
        const std::uint32_t v = random_.below(shape_.variables);
        if (memory_[v].freed != (action == Action::Alloc)) return;
        memory_[v] = {action == Action::Free, 0};
        return emit(t, action == Action::Free ? EventKind::Free : EventKind::Alloc, variable_address(v),
                    kSyntheticWidth);
      }
    }
  }

  /// Parts of variables and blocks have no names: such traces have addresses, which Tiddle can write too.
  std::uint64_t variable_address(std::uint32_t v) const {
    constexpr std::uint64_t kFirst = 0x1000;
    return shape_.blocks || shape_.widths ? kFirst + std::uint64_t{v} * 16
                                          : synthetic_address(TargetSpace::Variable, v);
  }

  void access(std::uint32_t t) {
    if (shape_.variables == 0) return;
    const std::uint32_t v = random_.below(shape_.variables);
    if (memory_[v].freed) return;
    if (shape_.guarded && !is_held(t, v % shape_.locks) && !random_.one_in(16)) return;
    static constexpr std::array kPlain = {EventKind::Read, EventKind::Write};
    static constexpr std::array kAtomic = {EventKind::AtomicLoad, EventKind::AtomicStore,
                                           EventKind::AtomicRmw};
    static constexpr std::array kLoads = {MemoryOrder::Relaxed, MemoryOrder::Acquire, MemoryOrder::SeqCst};
    static constexpr std::array kStores = {MemoryOrder::Relaxed, MemoryOrder::Release, MemoryOrder::SeqCst};
    static constexpr std::array kRmws = {MemoryOrder::Relaxed, MemoryOrder::Acquire, MemoryOrder::Release,
                                         MemoryOrder::AcqRel, MemoryOrder::SeqCst};
    const bool atomic = shape_.atomics && random_.one_in(2);
    const EventKind kind = atomic ? random_.pick(kAtomic) : random_.pick(kPlain);
    MemoryOrder order = MemoryOrder::None;
    if (kind == EventKind::AtomicLoad) order = random_.pick(kLoads);
    if (kind == EventKind::AtomicStore) order = random_.pick(kStores);
    if (kind == EventKind::AtomicRmw) order = random_.pick(kRmws);
    std::uint64_t address = variable_address(v);
    std::uint32_t width = kSyntheticWidth;
    if (shape_.widths) {
      width = std::uint32_t{1} << random_.below(4);
      address += std::uint64_t{width} * random_.below(kSyntheticWidth / width);
    }
    std::optional<std::uint64_t> value;
    if (shape_.values && !shape_.widths) {
      if (is_write(kind)) memory_[v].value = 1 + random_.below(3);
      value = memory_[v].value;
    }
    emit(t, kind, address, width, order, value);
  }

  bool is_held(std::uint32_t t, std::uint32_t lock) const {
    return std::ranges::any_of(threads_[t].held, [&](const Held& held) { return held.lock == lock; });
  }

  void begin_section(std::uint32_t t) {
    if (shape_.locks == 0 || threads_[t].held.size() >= shape_.locks_held) return;
    const Held wanted{random_.below(shape_.locks), shape_.reader_locks && random_.one_in(2)};
    if (is_held(t, wanted.lock)) return;
    if (!shape_.requests) return acquire(t, wanted);
    threads_[t].requested = wanted;
    emit(t, EventKind::Request, synthetic_address(TargetSpace::Lock, wanted.lock));
  }

  void acquire(std::uint32_t t, Held wanted) {
    Lock& lock = locks_[wanted.lock];
    if (lock.owned || (!wanted.shared && lock.readers > 0)) return;
    if (wanted.shared)
      ++lock.readers;
    else
      lock.owned = true;
    threads_[t].requested.reset();
    threads_[t].held.push_back(wanted);
    const bool tried = shape_.tries && random_.one_in(3);
    emit(t, wanted.shared ? EventKind::AcquireShared : EventKind::Acquire,
         synthetic_address(TargetSpace::Lock, wanted.lock), 0, tried ? kTried : MemoryOrder::None);
  }

  void release(std::uint32_t t, std::size_t which) {
    const Held held = threads_[t].held[which];
    threads_[t].held.erase(threads_[t].held.begin() + static_cast<std::ptrdiff_t>(which));
    if (held.shared)
      --locks_[held.lock].readers;
    else
      locks_[held.lock].owned = false;
    emit(t, held.shared ? EventKind::ReleaseShared : EventKind::Release,
         synthetic_address(TargetSpace::Lock, held.lock));
  }

  void end_unit(std::uint32_t t) {
    emit(t, EventKind::UnitEnd, threads_[t].units.back());
    threads_[t].units.pop_back();
  }

  void leave_barrier(std::uint32_t t) {
    if (!threads_[t].may_leave) return;
    threads_[t].at_barrier = false;
    emit(t, EventKind::BarrierExit, synthetic_address(TargetSpace::Barrier, 0));
  }

  void fork(std::uint32_t t) {
    for (std::uint32_t child = 0; child < shape_.threads; ++child) {
      if (threads_[child].begun) continue;
      threads_[child].begun = true;
      return emit(t, EventKind::Fork, child);
    }
  }

  void join(std::uint32_t t) {
    if (!shape_.forks) return;
    const std::uint32_t child = random_.below(shape_.threads);
    Thread& other = threads_[child];
    if (child == t || !other.begun || other.ended || other.at_barrier || other.waiting || other.requested)
      return;
    if (!other.held.empty() || !other.units.empty()) return;
    other.ended = true;
    emit(t, EventKind::Join, child);
  }

  void close_sections() {
    for (std::uint32_t t = 0; t < shape_.threads; ++t) {
      if (shape_.open_sections && random_.one_in(2)) continue;
      if (threads_[t].waiting || threads_[t].at_barrier) continue;
      while (!threads_[t].held.empty()) release(t, threads_[t].held.size() - 1);
      while (!threads_[t].units.empty()) end_unit(t);
    }
  }

  void name_everything() {
    Tables& tables = trace_.tables;
    for (std::uint32_t i = 0; i < shape_.threads; ++i) tables.threads.push_back(std::to_string(i));
    for (std::uint32_t i = 0; i < shape_.variables; ++i) tables.variables.push_back(fmt::format("x{}", i));
    for (std::uint32_t i = 0; i < shape_.locks; ++i) tables.locks.push_back(fmt::format("l{}", i));
    for (std::uint32_t i = 0; i < kUnits; ++i) tables.units.push_back(fmt::format("u{}", i));
    tables.conditions = {"c"};
    tables.barriers = {"b"};
    for (const Event& event : trace_.events) tables.places.push_back({"", event.position, ""});
    trace_.header.values = shape_.values && !shape_.widths ? ValueLevel::Exact : ValueLevel::None;
  }

  const TraceShape shape_;
  Random random_;
  SmallTrace trace_;
  std::vector<Thread> threads_;
  std::vector<Lock> locks_;
  std::vector<Variable> memory_;
  std::vector<std::uint32_t> at_barrier_;  // threads that wait for the barrier to be full
};

}  // namespace

std::uint64_t mix(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

SmallTrace random_trace(std::uint64_t seed, const TraceShape& shape) { return Generator(seed, shape).make(); }

}  // namespace ravel
