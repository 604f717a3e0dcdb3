#include "analysis/conflict_table.h"

#include <algorithm>

namespace ravel {

ConflictTable::Entry& ConflictTable::other_entry(VariableId variable, LockId lock) {
  if (variable.index() >= first_.size())
    first_.resize(std::max(variable.index() + 1, first_.size() * 2), kNone);
  const std::uint32_t first = first_[variable.index()];
  if (first != kNone) {
    if (const auto found = entry_of_.find(key(variable, lock)); found != entry_of_.end())
      return entries_[found->second];
  }
  std::uint32_t index = 0;
  if (free_entries_.empty()) {
    index = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    index = free_entries_.back();
    free_entries_.pop_back();
    entries_[index] = {};
  }
  entries_[index].lock = lock;
  if (first == kNone) {
    first_[variable.index()] = index;
  } else {
    entries_[index].next = entries_[first].next;
    entries_[first].next = index;
    entry_of_[key(variable, lock)] = index;
  }
  return entries_[index];
}

void ConflictTable::note(std::array<Last, 2>& last, ThreadId thread, std::uint32_t end) {
  if (last[0].thread != thread) {
    if (end < last[0].end) {
      // Reported late, after an access of a later section.
      if (end > last[1].end) last[1] = {thread, end};
      return;
    }
    last[1] = last[0];
    last[0] = {thread, 0};
  }
  last[0].end = std::max(last[0].end, end);
}

ConflictTable::Shared& ConflictTable::shared_of(Entry& entry, ThreadId thread) {
  if (entry.shared == kNone) {
    if (free_shared_.empty()) {
      entry.shared = static_cast<std::uint32_t>(shared_.size());
      shared_.emplace_back();
    } else {
      entry.shared = free_shared_.back();
      free_shared_.pop_back();
    }
  }
  std::vector<Shared>& all = shared_[entry.shared];
  const auto at = std::ranges::lower_bound(all, thread, {}, &Shared::thread);
  if (at != all.end() && at->thread == thread) return *at;
  return *all.insert(at, Shared{thread, {}});
}

void ConflictTable::first_access(Entry& here, const SectionName& section, bool write, Observer& observer) {
  const std::uint32_t end = section.number + 1;
  if (section.shared) {
    std::uint32_t& mine = shared_of(here, section.thread).end[static_cast<int>(write)];
    if (mine == end) return;
    mine = end;
  }
  std::uint32_t before = other(here.last[1], section.thread);
  if (write) before = std::max(before, other(here.last[0], section.thread));
  if (before > 0) observer.exclusive(before);
  if (section.shared) return;
  if (here.shared != kNone) {
    for (const Shared& each : shared_[here.shared]) {
      if (each.thread == section.thread) continue;
      const std::uint32_t reader = write ? std::max(each.end[0], each.end[1]) : each.end[1];
      if (reader > 0) observer.shared(each.thread, reader);
    }
    // Who clashes with them clashes with this write, or is of the same thread and after it.
    if (write) {
      shared_[here.shared].clear();
      free_shared_.push_back(here.shared);
      here.shared = kNone;
    }
  }
  note(here.last[static_cast<std::size_t>(write)], section.thread, end);
}

void ConflictTable::remember(const SectionName& section, VariableId variable, bool write) {
  Entry& here = entry(variable, section.lock);
  const std::uint32_t end = section.number + 1;
  if (!section.shared) return note(here.last[static_cast<std::size_t>(write)], section.thread, end);
  std::uint32_t& mine = shared_of(here, section.thread).end[static_cast<int>(write)];
  mine = std::max(mine, end);
}

void ConflictTable::split(VariableId whole, VariableId part) {
  retire(part);
  if (whole.index() >= first_.size()) return;
  for (std::uint32_t i = first_[whole.index()]; i != kNone;) {
    const Entry from = entries_[i];
    Entry& to = entry(part, from.lock);
    to.last = from.last;
    if (from.shared != kNone)
      for (const Shared& each : std::vector<Shared>(shared_[from.shared])) shared_of(to, each.thread) = each;
    i = from.next;
  }
}

void ConflictTable::retire(VariableId variable) {
  if (variable.index() >= first_.size()) return;
  for (std::uint32_t i = first_[variable.index()]; i != kNone; i = entries_[i].next) {
    entry_of_.erase(key(variable, entries_[i].lock));
    free_entries_.push_back(i);
    if (entries_[i].shared != kNone) {
      shared_[entries_[i].shared].clear();
      free_shared_.push_back(entries_[i].shared);
    }
  }
  first_[variable.index()] = kNone;
}

}  // namespace ravel
