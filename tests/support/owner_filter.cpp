#include "support/owner_filter.h"

#include <algorithm>
#include <map>
#include <optional>

namespace ravel {
namespace {

class Filter {
 public:
  explicit Filter(const SmallTrace& whole) : whole_(whole) {
    out_.trace.header = whole.header;
    out_.trace.header.filter = FilterLevel::Owner;
    out_.trace.tables = whole.tables;
  }

  OwnerFiltered run() {
    for (const Event& event : whole_.events) {
      out_.stands_for.push_back(event.position);
      if (is_access(event.kind))
        access(event);
      else
        other(event);
      if (kTimeSteps.has(event.kind)) ++steps_[event.thread];
    }
    return std::move(out_);
  }

 private:
  struct Cell {
    ThreadId owner;
    bool shared = false;
    std::optional<Event> read, write;  ///< the owner's last, retroactive already
    ThreadId last;                     ///< who accessed it last, once it is shared
    std::map<EventKind, std::pair<std::uint64_t, std::uint64_t>> at;  ///< of `last`: local time and position
  };

  void keep(const Event& event, std::uint64_t original) {
    Event kept = event;
    kept.position = out_.trace.events.size() + 1;
    out_.trace.events.push_back(kept);
    out_.original.push_back(original);
  }

  void share(Cell& cell) {
    if (cell.shared) return;
    cell.shared = true;
    for (const auto& access : {cell.read, cell.write})
      if (access) keep(*access, access->position);
  }

  void access(const Event& event) {
    if (has_other_extent(event)) return keep(event, event.position);
    Cell& cell = cells_[event.target];
    if (!cell.owner.valid()) cell.owner = event.thread;
    if (is_atomic(event.kind) || cell.owner != event.thread) share(cell);
    const std::uint64_t now = 1 + steps_[event.thread];
    if (!cell.shared) {
      Event retro = event;
      retro.kind = is_write(event.kind) ? EventKind::RetroWrite : EventKind::RetroRead;
      retro.has_value = true;
      retro.value = now;
      (is_write(event.kind) ? cell.write : cell.read) = retro;
      return drop(0);
    }
    if (cell.last != event.thread) cell.at.clear();
    cell.last = event.thread;
    const auto [known, fresh] = cell.at.try_emplace(event.kind, now, event.position);
    if (!fresh && known->second.first == now) return drop(known->second.second);
    known->second = {now, event.position};
    keep(event, event.position);
  }

  void other(const Event& event) {
    if (is_block(event)) {
      for (auto& [address, cell] : cells_) {
        if (address - event.target >= event.width) continue;
        if (event.kind == EventKind::Free && cell.owner.valid() && cell.owner != event.thread) share(cell);
        cell = {};
      }
    }
    keep(event, event.position);
  }

  void drop(std::uint64_t stands_for) {
    out_.stands_for.back() = stands_for;
    ++out_.dropped;
  }

  /// Variables whose accesses do not all have the same extent are left alone.
  bool has_other_extent(const Event& event) const {
    return std::ranges::any_of(whole_.events, [&](const Event& other) {
      return is_access(other.kind) && overlap(other, event) &&
             (other.target != event.target || other.width != event.width);
    });
  }

  const SmallTrace& whole_;
  OwnerFiltered out_;
  std::map<std::uint64_t, Cell> cells_;  ///< by address
  std::map<ThreadId, std::uint64_t> steps_;
};

}  // namespace

OwnerFiltered owner_filter(const SmallTrace& trace) { return Filter(trace).run(); }

}  // namespace ravel
