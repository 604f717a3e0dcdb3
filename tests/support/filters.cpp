#include "support/filters.h"

#include <algorithm>
#include <map>
#include <optional>

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
      if (!is_access(event.kind))
        other(event);
      else if (has_other_extent(event))
        keep(event, event.position);
      else
        access(event);
      if (kTimeSteps.has(event.kind)) ++steps_[event.thread];
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
  std::map<ThreadId, std::uint64_t> steps_;
};

class OwnerFilter final : public Filter {
 public:
  explicit OwnerFilter(const SmallTrace& whole) : Filter(whole, FilterLevel::Owner) {}

 private:
  struct Cell {
    ThreadId owner;
    bool shared = false;
    std::optional<Event> read, write;  ///< the owner's last, or those hidden since; retroactive already
    ThreadId last;                     ///< who accessed it last, once it is shared
    std::map<EventKind, std::pair<std::uint64_t, std::uint64_t>> at;  ///< of `last`: local time and position
  };

  /// Reports what the cell remembers.
  void reveal(Cell& cell) {
    for (auto* access : {&cell.read, &cell.write}) {
      if (*access) keep(**access, (*access)->position);
      access->reset();
    }
  }

  void share(Cell& cell) {
    if (!cell.shared) reveal(cell);
    cell.shared = true;
  }

  static void remember(Cell& cell, const Event& event, std::uint64_t now) {
    Event retro = event;
    retro.kind = is_write(event.kind) ? EventKind::RetroWrite : EventKind::RetroRead;
    retro.has_value = true;
    retro.value = now;
    (is_write(event.kind) ? cell.write : cell.read) = retro;
  }

  void access(const Event& event) override {
    Cell& cell = cells_[event.target];
    if (!cell.owner.valid()) cell.owner = event.thread;
    if (is_atomic(event.kind) || cell.owner != event.thread) share(cell);
    const std::uint64_t time = now(event);
    if (!cell.shared) {
      remember(cell, event, time);
      return drop(0);
    }
    if (cell.last != event.thread || is_atomic(event.kind)) {
      reveal(cell);
      cell.at.clear();
    }
    cell.last = event.thread;
    if (is_atomic(event.kind)) return keep(event, event.position);
    const auto same = cell.at.find(event.kind);
    const bool known = same != cell.at.end();
    if (known && same->second.first == time) return drop(same->second.second);
    const auto write = cell.at.find(EventKind::Write);
    if (known || write != cell.at.end()) {
      const std::uint64_t recorded = (known ? same : write)->second.second;
      cell.at[event.kind] = {time, recorded};
      remember(cell, event, time);
      return drop(recorded);
    }
    cell.at[event.kind] = {time, event.position};
    (is_write(event.kind) ? cell.write : cell.read).reset();
    keep(event, event.position);
  }

  void other(const Event& event) override {
    if (is_block(event)) {
      for (auto& [address, cell] : cells_) {
        if (address - event.target >= event.width) continue;
        if (event.kind == EventKind::Free && cell.owner.valid() && cell.owner != event.thread) share(cell);
        if (event.kind == EventKind::Free && cell.shared && cell.last != event.thread) reveal(cell);
        cell = {};
      }
    }
    keep(event, event.position);
  }

  std::map<std::uint64_t, Cell> cells_;  ///< by address
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
