#include "support/filters.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>
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
      if (steps_on_ || (kTimeSteps.has(event.kind) && !dropped_)) ++steps_[event.thread];
      steps_on_ = false;
    }
    return std::move(out_);
  }

 protected:
  virtual void access(const Event& event) = 0;
  virtual void other(const Event& event) = 0;

  std::uint64_t now(const Event& event) { return 1 + steps_[event.thread]; }

  /// Local time goes on after the event at hand, though it is dropped.
  void step() { steps_on_ = true; }

  void keep(const Event& event, std::uint64_t original) {
    const bool late = kRetroAccesses.has(event.kind);
    reach(event.thread, late ? event.value : 1 + steps_[event.thread], original);
    if (!late) tell_order(event.thread, original);
    put(event, original);
    if (kTimeSteps.has(event.kind)) ++told_steps_[event.thread];
  }
  /// The thread comes after all that the other one did up to a local time.
  void put_after(ThreadId thread, ThreadId other, std::uint64_t time, MemoryOrder order,
                 std::uint64_t original) {
    reach(other, time + 1, original);
    Event after;
    after.kind = EventKind::After;
    after.thread = thread;
    after.target = other.value;
    after.order = order;
    after.has_value = true;
    after.value = time;
    put(after, original);
  }
  /// Called before an event of the thread is put into the trace.
  virtual void tell_order(ThreadId /*thread*/, std::uint64_t /*original*/) {}

  void drop(std::uint64_t stands_for) {
    out_.stands_for.back() = stands_for;
    ++out_.dropped;
    dropped_ = true;
  }

  /// The trace knows that the thread's local time is at least this.
  void reach(ThreadId thread, std::uint64_t time, std::uint64_t original) {
    std::uint64_t& told = told_steps_[thread];
    if (1 + told >= time) return;
    Event elapse;
    elapse.kind = EventKind::Elapse;
    elapse.thread = thread;
    elapse.has_value = true;
    elapse.value = time - 1 - told;
    put(elapse, original);
    told = time - 1;
  }

 private:
  void put(const Event& event, std::uint64_t original) {
    Event kept = event;
    kept.position = out_.trace.events.size() + 1;
    out_.trace.events.push_back(kept);
    out_.original.push_back(original);
  }

  /// Variables whose accesses do not all have the same extent are left alone.
  bool has_other_extent(const Event& event) const {
    return std::ranges::any_of(whole_.events, [&](const Event& other) {
      return is_access(other.kind) && overlap(other, event) &&
             (other.target != event.target || other.width != event.width);
    });
  }

  const SmallTrace& whole_;
  Filtered out_;
  bool dropped_ = false;   ///< the event at hand
  bool steps_on_ = false;  ///< it is a step of local time all the same
  std::map<ThreadId, std::uint64_t> steps_;
  std::map<ThreadId, std::uint64_t> told_steps_;  ///< as the trace says
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
  /// What `other` has that this has not.
  Clock beyond(const Clock& other) const {
    Clock rest;
    for (const auto& [thread, time] : other.times_)
      if (time > (*this)[thread]) rest.set(thread, time);
    return rest;
  }
  const std::map<ThreadId, std::uint64_t>& times() const { return times_; }
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
    Clock untold;                                 ///< what it has acquired that the trace does not say
    Clock pending;                                ///< what an acquire fence would acquire of that kind
    bool partial = false;                         ///< it knows more than H
    std::map<std::uint64_t, Slot> atomics;        ///< by address: the last access that its cell was told of
  };
  struct Section {
    ThreadId thread;
    std::uint64_t first = 0, last = 0;  ///< local times inside
    Clock H;                            ///< at the release
  };
  /// What an acquiring load of a variable is ordered after, which may be the thread's own doings.
  struct Released {
    Clock clock;
    bool told = false;     ///< the trace has some of it,
    bool untold = false;   ///< and lacks some
    bool partial = false;  ///< it is more than the clock says

    bool is_known(const Thread& self, ThreadId thread) const {
      return self.C.covers(clock, untold ? ThreadId() : thread);
    }
  };
  struct Lock {
    Clock H, C;
    bool partial = false;          ///< who acquires it knows more than H
    bool shared = false;           ///< readers have released it
    std::deque<Section> sections;  ///< the last ones
    std::vector<Section> older;    ///< of these H is not used
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
    const auto has = [&](const Section& section) {
      return section.thread == clash.thread && section.first <= clash.value && clash.value <= section.last;
    };
    for (const auto& [lock, since] : self.held) {
      for (const Section& section : locks_[lock].sections)
        if (has(section)) edge(self, section.H);
      if (!std::ranges::any_of(locks_[lock].older, has)) continue;
      Clock until;
      until.set(clash.thread, clash.value);
      edge(self, until);
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
    Released& released = released_[event.target];
    const bool writes = event.kind != EventKind::AtomicLoad;
    const bool stores = event.kind == EventKind::AtomicStore;
    const bool releasing = writes && (releases(event.order) || self.fence);
    const bool hides = self.sections == 0 && (!writes || (!self.partial && !self.fence)) &&
                       (stores || (!released.told && !released.partial));
    const bool knows = stores || released.is_known(self, event.thread);
    const bool silent = hides && !knows;
    if (silent) acquire(event, self, released);
    bool kept = (releasing && !hides) || self.sections > 0;
    const Slot mine = slot_of(event);
    const auto last = self.atomics.find(event.target);
    const bool repeated = last != self.atomics.end() && last->second.access.value == mine.access.value &&
                          (!writes || is_write(last->second.access.kind));
    if (kept || !repeated) {
      self.atomics[event.target] = mine;
      kept = enter_atomic(event, mine, cell, kept);
    }
    if (hides && releasing) return release_hidden(event, released, kept);
    // What a load would synchronize with must be known; a store must not end what others may.
    const bool ends = stores && !Clock().covers(released.clock, ThreadId());
    if (!kept && !ends && (knows || silent)) return drop(0);
    if (!silent && !stores) acquire(event, self, released);
    keep(event, event.position);
    if (stores) released = {};
    if (!releasing) return;
    released.clock.join(releases(event.order) ? published(event) : *self.fence);
    released.told = true;
    released.partial |= self.partial;
  }

  /// What a load synchronizes with, or will, at an acquire fence.
  void acquire(const Event& event, Thread& self, const Released& released) {
    if (!acquires(event.order)) {
      if (released.untold) self.pending.join(self.C.beyond(released.clock));
      return;
    }
    if (released.untold) self.untold.join(self.C.beyond(released.clock));
    if (!released.is_known(self, event.thread)) self.partial |= released.partial;
    edge(self, released.clock);
  }

  /// Who acquires it will tell. If the access itself is kept, it synchronizes with nobody.
  void release_hidden(const Event& event, Released& released, bool kept) {
    if (kept || (event.kind == EventKind::AtomicStore && released.told)) {
      Event relaxed = event;
      relaxed.order = MemoryOrder::Relaxed;
      keep(relaxed, event.position);
    } else {
      drop(0);
      step();
    }
    if (event.kind == EventKind::AtomicStore) released = {};
    released.clock.join(published(event));
    released.untold = true;
  }

  void tell_order(ThreadId thread, std::uint64_t original) override {
    const Clock untold = std::exchange(threads_[thread].untold, {});
    for (const auto& [other, time] : untold.times())
      put_after(thread, other, time, MemoryOrder::None, original);
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
        self.partial |= lock.partial || (lock.shared && event.kind == EventKind::Acquire);
        self.H.join(lock.H);
        self.C.join(lock.C);
        if (event.kind == EventKind::Acquire) self.held[event.target] = now(event) + 1;
        break;
      }
      case EventKind::Release:
      case EventKind::ReleaseShared:
        if (self.sections > 0) --self.sections;
        if (event.kind == EventKind::Release)
          release(event, self);
        else
          locks_[event.target].shared = true;
        break;
      case EventKind::Fence:
        if (acquires(event.order)) {
          self.partial = true;
          const Clock pending = self.C.beyond(std::exchange(self.pending, {}));
          for (const auto& [other, time] : pending.times())
            put_after(event.thread, other, time, MemoryOrder::Relaxed, event.position);
        }
        if (releases(event.order)) self.fence = published(event);
        break;
      case EventKind::Fork:
        edge(threads_[event.other_thread()], published(event));
        threads_[event.other_thread()].partial |= self.partial;
        break;
      case EventKind::Join: {
        Event end;
        end.thread = event.other_thread();
        reach(end.thread, now(end), event.position);  // as its exit does, if there is one
        tell_order(end.thread, event.position);
        edge(self, published(end));
        self.partial |= threads_[end.thread].partial;
        break;
      }
      case EventKind::BarrierEnter:
      case EventKind::BarrierExit:
      case EventKind::WaitEnd:
      case EventKind::Notify:
      case EventKind::NotifyAll:
        self.partial = true;
        break;
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
    Lock& lock = locks_[event.target];
    lock.partial |= self.partial || acquired == self.held.end();
    if (acquired == self.held.end()) return;
    const Clock& H = published(event);
    lock.H.join(H);
    lock.C.join(self.C);
    lock.sections.push_back({event.thread, acquired->second, now(event), H});
    if (lock.sections.size() > kSections) {
      lock.older.push_back(lock.sections.front());
      lock.sections.pop_front();
    }
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
  std::map<std::uint64_t, Lock> locks_;         ///< by address
  std::map<std::uint64_t, Released> released_;  ///< by address
  std::map<std::uint64_t, Cell> cells_;         ///< by address
  bool told_atomic_ = false;                    ///< some atomic access was told
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
