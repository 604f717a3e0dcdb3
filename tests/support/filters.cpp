#include "support/filters.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace ravel {
namespace {

/// What all levels share: the walk over the trace, and what becomes of each event.
class Filter {
 public:
  Filter(const SmallTrace& whole, FilterLevel level) : whole_(whole) {
    out_.trace.header = whole.header;
    out_.trace.header.filter = level;
    out_.trace.tables = whole.tables;
  }
  virtual ~Filter() = default;

  Filtered run() {
    for (const Event& event : whole_.events) {
      out_.stands_for.push_back(event.position);
      dropped_ = false;
      if (!is_access(event.kind))
        other(event);
      else if (has_other_extent(event))
        keep(event, event.position);
      else
        access(event);
      if (kTimeSteps.has(event.kind) && !dropped_) ++steps_[event.thread];
    }
    return std::move(out_);
  }

 protected:
  virtual void access(const Event& event) = 0;
  virtual void other(const Event& event) = 0;

  std::uint64_t now(const Event& event) { return 1 + steps_[event.thread]; }

  void keep(const Event& event, std::uint64_t original) {
    Event kept = event;
    kept.position = out_.trace.events.size() + 1;
    out_.trace.events.push_back(kept);
    out_.original.push_back(original);
  }

  void drop(std::uint64_t stands_for) {
    out_.stands_for.back() = stands_for;
    ++out_.dropped;
    dropped_ = true;
  }

 private:
  /// Variables whose accesses do not all have the same extent are left alone.
  bool has_other_extent(const Event& event) const {
    return std::ranges::any_of(whole_.events, [&](const Event& other) {
      return is_access(other.kind) && overlap(other, event) &&
             (other.target != event.target || other.width != event.width);
    });
  }

  const SmallTrace& whole_;
  Filtered out_;
  bool dropped_ = false;  ///< the event at hand
  std::map<ThreadId, std::uint64_t> steps_;
};

/// By thread: its accesses up to this local time.
class Clock {
 public:
  std::uint64_t operator[](ThreadId thread) const {
    const auto found = times_.find(thread);
    return found == times_.end() ? 0 : found->second;
  }
  void set(ThreadId thread, std::uint64_t time) { times_[thread] = time; }
  void join(const Clock& other) {
    for (const auto& [thread, time] : other.times_) times_[thread] = std::max(times_[thread], time);
  }
  /// What a thread did itself is covered.
  bool covers(const Clock& other, ThreadId self) const {
    return std::ranges::all_of(other.times_, [&](const auto& entry) {
      return entry.first == self || entry.second <= (*this)[entry.first];
    });
  }

 private:
  std::map<ThreadId, std::uint64_t> times_;
};

class OwnerFilter final : public Filter {
 public:
  explicit OwnerFilter(const SmallTrace& whole) : Filter(whole, FilterLevel::Owner) {}

 private:
  struct Slot {
    Event access;  ///< retroactive: the value is its local time
    bool told = false;
  };
  struct Thread {
    Clock H, C;
    std::map<std::uint64_t, std::uint64_t> held;  ///< exclusive locks, with the first local time inside
    int sections = 0;                             ///< locks of any kind that it holds
    std::optional<Clock> fence;                   ///< H at its last release fence
    std::map<std::uint64_t, Slot> atomics;        ///< by address: the last access that its cell was told of
  };
  struct Section {
    ThreadId thread;
    std::uint64_t first = 0, last = 0;  ///< local times inside
    Clock H;                            ///< at the release
  };
  struct Lock {
    Clock H, C;
    std::deque<Section> sections;  ///< the last ones
  };
  struct Cell {
    std::optional<Slot> write;
    std::vector<Slot> reads;    ///< at most one of each thread; the latest is the last
    int turns = 0;              ///< how often a thread came back after another one had read
    std::vector<Slot> atomics;  ///< of a thread, at most one read and one write
    bool unknown_write = false, unknown_reads = false;
    bool unknown_atomic_write = false, unknown_atomic_reads = false;

    bool is_atomic() const { return !atomics.empty() || unknown_atomic_write || unknown_atomic_reads; }
  };
  static constexpr std::size_t kSections = 4, kReads = 3, kAtomics = 2;
  static constexpr int kOften = 2;

  static bool certain(const Slot& slot, const Thread& self) {
    return slot.access.value <= self.C[slot.access.thread];
  }

  void tell(Slot& slot) {
    if (!slot.told) keep(slot.access, slot.access.position);
    told_atomic_ |= !slot.told && slot.access.is_late_atomic();
    slot.told = true;
  }

  Slot slot_of(const Event& event) {
    Slot slot{event};
    slot.access.kind = is_write(event.kind) ? EventKind::RetroWrite : EventKind::RetroRead;
    slot.access.order = is_atomic(event.kind) ? MemoryOrder::Relaxed : MemoryOrder::None;
    slot.access.has_value = true;
    slot.access.value = now(event);
    return slot;
  }

  /// What another thread did that an access of this kind clashes with.
  static std::vector<Slot*> clashing(Cell& cell, ThreadId thread, bool write) {
    std::vector<Slot*> slots;
    if (cell.write && cell.write->access.thread != thread) slots.push_back(&*cell.write);
    for (Slot& read : cell.reads)
      if (write && read.access.thread != thread) slots.push_back(&read);
    for (Slot& slot : cell.atomics)
      if ((write || is_write(slot.access.kind)) && slot.access.thread != thread) slots.push_back(&slot);
    return slots;
  }

  /// The thread's own slot of the same local time, of a write or of the same kind.
  static const Slot* same(const Cell& cell, const Slot& access) {
    const auto matches = [&](const Slot& slot) {
      return slot.access.thread == access.access.thread && slot.access.value == access.access.value;
    };
    if (cell.write && matches(*cell.write)) return &*cell.write;
    if (is_write(access.access.kind)) return nullptr;
    const auto found = std::ranges::find_if(cell.reads, matches);
    return found == cell.reads.end() ? nullptr : &*found;
  }

  void access(const Event& event) override {
    Cell& cell = cells_[event.target];
    if (is_atomic(event.kind)) return atomic(event, cell);
    Thread& self = threads_[event.thread];
    const bool write = is_write(event.kind);
    if (write) released_.erase(event.target);
    Slot mine = slot_of(event);
    std::vector<Slot*> clashes = clashing(cell, event.thread, write);
    const bool read_since = write && (!clashes.empty() || cell.unknown_reads || cell.is_atomic());
    if (const Slot* const known = same(cell, mine); known != nullptr && !read_since)
      return drop(known->told ? known->access.position : 0);
    std::erase_if(clashes, [&](const Slot* slot) { return certain(*slot, self); });
    // A read of the thread is younger than the writes, or they would have taken its place.
    const bool known_clashes =
        !write && !cell.is_atomic() &&
        std::ranges::any_of(cell.reads, [&](const Slot& read) { return read.access.thread == event.thread; });
    const bool unknown_clashes = cell.unknown_write || cell.unknown_atomic_write ||
                                 (write && (cell.unknown_reads || cell.is_atomic()));
    if (known_clashes || (clashes.empty() && !unknown_clashes)) {
      drop(0);
    } else {
      for (Slot* const slot : clashes) tell(*slot);
      keep(event, event.position);
      mine.told = true;
      for (const Slot* const slot : clashes) order_sections(self, slot->access);
    }
    if (write)
      remember_write(cell, mine);
    else
      remember_read(cell, mine, self);
  }

  /// Sections with clashing accesses are ordered.
  void order_sections(Thread& self, const Event& clash) {
    for (const auto& [lock, since] : self.held)
      for (const Section& section : locks_[lock].sections)
        if (section.thread == clash.thread && section.first <= clash.value && clash.value <= section.last) {
          self.H.join(section.H);
          self.C.join(section.H);
        }
  }

  static void remember_write(Cell& cell, const Slot& mine) {
    cell.unknown_write = cell.unknown_reads = false;
    cell.unknown_atomic_write = cell.unknown_atomic_reads = false;
    cell.atomics.clear();
    cell.turns = 0;
    std::erase_if(cell.reads, [&](const Slot& read) {
      return read.access.thread != mine.access.thread || read.access.value != mine.access.value;
    });
    cell.write = mine;
  }

  void remember_read(Cell& cell, const Slot& mine, const Thread& self) {
    const auto is_own = [&](const Slot& read) { return read.access.thread == mine.access.thread; };
    if (std::ranges::any_of(cell.reads, is_own) && !is_own(cell.reads.back())) ++cell.turns;
    const bool shared = cell.turns >= kOften && !cell.is_atomic();
    std::erase_if(cell.reads,
                  [&](const Slot& read) { return is_own(read) || (!shared && certain(read, self)); });
    std::erase_if(cell.atomics, [&](const Slot& slot) {
      return slot.access.kind == EventKind::RetroRead &&
             (slot.access.thread == mine.access.thread || certain(slot, self));
    });
    if (cell.reads.size() >= kReads && !shared) {
      tell(cell.reads.front());
      cell.reads.erase(cell.reads.begin());
      cell.unknown_reads = true;
    }
    cell.reads.push_back(mine);
  }

  void atomic(const Event& event, Cell& cell) {
    Thread& self = threads_[event.thread];
    const bool writes = event.kind != EventKind::AtomicLoad;
    const bool releasing = writes && (releases(event.order) || self.fence);
    bool kept = releasing || self.sections > 0;
    const Slot mine = slot_of(event);
    const auto last = self.atomics.find(event.target);
    const bool repeated = last != self.atomics.end() && last->second.access.value == mine.access.value &&
                          (!writes || is_write(last->second.access.kind));
    if (kept || !repeated) {
      self.atomics[event.target] = mine;
      kept = enter_atomic(event, mine, cell, kept);
    }
    // What a load would synchronize with must be known; a store must not end what others may.
    const Clock& released = released_[event.target];
    const bool known = event.kind == EventKind::AtomicStore ? Clock().covers(released, ThreadId())
                                                            : self.C.covers(released, event.thread);
    if (!kept && known) return drop(0);
    keep(event, event.position);
    if (event.kind != EventKind::AtomicStore && acquires(event.order)) edge(self, released);
    if (event.kind == EventKind::AtomicStore) released_.erase(event.target);
    if (releasing) released_[event.target].join(releases(event.order) ? published(event) : *self.fence);
  }

  /// Whether it is kept because of the accesses before it.
  bool enter_atomic(const Event& event, const Slot& mine, Cell& cell, bool kept) {
    Thread& self = threads_[event.thread];
    const bool writes = is_write(mine.access.kind);
    std::vector<Slot*> clashes = clashing(cell, event.thread, writes);
    std::erase_if(clashes, [&](const Slot* slot) { return certain(*slot, self); });
    const auto first_atomic = std::ranges::stable_partition(clashes, [](const Slot* slot) {
                                return !slot->access.is_late_atomic();
                              }).begin();
    const std::vector<Slot*> atomic(first_atomic, clashes.end());
    clashes.erase(first_atomic, clashes.end());
    if (!told_atomic_) {
      const bool unknown = cell.unknown_atomic_write || (writes && cell.unknown_atomic_reads);
      if ((unknown || !atomic.empty()) &&
          std::ranges::all_of(atomic, [](const Slot* slot) { return slot->told; }))
        kept = true;
      for (Slot* const slot : atomic) tell(*slot);
    }
    for (Slot* const slot : clashes) tell(*slot);
    for (const Slot* const slot : clashes) order_sections(self, slot->access);
    if (kept || !clashes.empty() || cell.unknown_write || (writes && cell.unknown_reads)) {
      for (Slot& read : cell.reads) tell(read);
      if (cell.write) tell(*cell.write);
      for (Slot& slot : cell.atomics) tell(slot);
      cell.atomics.clear();
      cell.unknown_atomic_reads = false;
      cell.unknown_atomic_write = true;
      return true;
    }
    std::erase_if(cell.atomics, [&](const Slot& slot) {
      return (writes || !is_write(slot.access.kind)) &&
             (slot.access.thread == event.thread || certain(slot, self));
    });
    if (cell.atomics.size() == kAtomics) {
      Slot& oldest = cell.atomics.front();
      tell(oldest);
      (is_write(oldest.access.kind) ? cell.unknown_atomic_write : cell.unknown_atomic_reads) = true;
      cell.atomics.erase(cell.atomics.begin());
    }
    cell.atomics.push_back(mine);
    return false;
  }

  /// H of the event's thread, up to the event.
  const Clock& published(const Event& event) {
    Thread& self = threads_[event.thread];
    self.H.set(event.thread, now(event));
    return self.H;
  }
  static void edge(Thread& self, const Clock& source) {
    self.H.join(source);
    self.C.join(source);
  }

  void other(const Event& event) override {
    Thread& self = threads_[event.thread];
    switch (event.kind) {
      case EventKind::Acquire:
      case EventKind::AcquireShared: {
        ++self.sections;
        const Lock& lock = locks_[event.target];
        self.H.join(lock.H);
        self.C.join(lock.C);
        if (event.kind == EventKind::Acquire) self.held[event.target] = now(event) + 1;
        break;
      }
      case EventKind::Release:
      case EventKind::ReleaseShared:
        if (self.sections > 0) --self.sections;
        if (event.kind == EventKind::Release) release(event, self);
        break;
      case EventKind::Fence:
        if (releases(event.order)) self.fence = published(event);
        break;
      case EventKind::Fork:
        edge(threads_[event.other_thread()], published(event));
        break;
      case EventKind::Join: {
        Event end;
        end.thread = event.other_thread();
        edge(self, published(end));
        break;
      }
      case EventKind::Alloc:
      case EventKind::Free:
        block(event, self);
        break;
      default:
        break;
    }
    keep(event, event.position);
  }

  void release(const Event& event, Thread& self) {
    const auto acquired = self.held.find(event.target);
    if (acquired == self.held.end()) return;
    Lock& lock = locks_[event.target];
    const Clock& H = published(event);
    lock.H.join(H);
    lock.C.join(self.C);
    lock.sections.push_back({event.thread, acquired->second, now(event), H});
    if (lock.sections.size() > kSections) lock.sections.pop_front();
    self.held.erase(acquired);
  }

  void block(const Event& event, const Thread& self) {
    const auto is_inside = [&](const auto& entry) { return entry.first - event.target < event.width; };
    for (auto& entry : cells_) {
      if (event.kind != EventKind::Free || !is_inside(entry)) continue;
      for (Slot* const slot : clashing(entry.second, event.thread, true))
        if (!certain(*slot, self)) tell(*slot);
    }
    std::erase_if(cells_, is_inside);
    for (auto& entry : threads_) std::erase_if(entry.second.atomics, is_inside);
    std::erase_if(released_, is_inside);
    std::erase_if(locks_, is_inside);
  }

  std::map<ThreadId, Thread> threads_;
  std::map<std::uint64_t, Lock> locks_;      ///< by address
  std::map<std::uint64_t, Clock> released_;  ///< by address: what an acquiring load is ordered after
  std::map<std::uint64_t, Cell> cells_;      ///< by address
  bool told_atomic_ = false;                 ///< some atomic access was told
};

class SegmentFilter final : public Filter {
 public:
  explicit SegmentFilter(const SmallTrace& whole) : Filter(whole, FilterLevel::Segment) {}

 private:
  struct Cell {
    ThreadId last;
    std::map<EventKind, std::pair<std::uint64_t, std::uint64_t>> at;  ///< of `last`: local time and position
  };

  void access(const Event& event) override {
    Cell& cell = cells_[event.target];
    if (cell.last != event.thread || is_atomic(event.kind)) cell.at.clear();
    cell.last = event.thread;
    if (is_atomic(event.kind)) return keep(event, event.position);
    const auto same = cell.at.find(event.kind);
    if (same != cell.at.end() && same->second.first == now(event)) return drop(same->second.second);
    cell.at[event.kind] = {now(event), event.position};
    keep(event, event.position);
  }

  void other(const Event& event) override {
    if (is_block(event))
      std::erase_if(cells_, [&](const auto& cell) { return cell.first - event.target < event.width; });
    keep(event, event.position);
  }

  std::map<std::uint64_t, Cell> cells_;  ///< by address
};

}  // namespace

Filtered owner_filter(const SmallTrace& trace) { return OwnerFilter(trace).run(); }
Filtered segment_filter(const SmallTrace& trace) { return SegmentFilter(trace).run(); }

}  // namespace ravel
