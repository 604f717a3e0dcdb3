#include "witness/sync_history.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "event/check.h"

namespace ravel {
namespace {

/// To walk an item takes this many times as long as to take over an entry of a known state.
constexpr std::size_t kCheaper = 8;

}  // namespace

LineId SyncHistory::add_line() {
  lines_.emplace_back();
  return LineId(lines_.size() - 1);
}

void SyncHistory::need(LineId line, Mark at, Reached what, Need why) {
  const Kind kind = why == Need::Order ? Kind::Order : why == Need::Reading ? Kind::Reading : Kind::Memory;
  lines_[line.index()].items.push_back(
      {at, what.line.value & ((1U << 30) - 1), static_cast<std::uint32_t>(kind) & 3U, what.mark});
}

void SyncHistory::begin_section(LineId line, Mark at, std::uint32_t lock, bool shared) {
  if (lock >= locks_.size()) locks_.resize(lock + 1);
  std::vector<Section>& sections = locks_[lock];
  lines_[line.index()].items.push_back({at, lock & ((1U << 30) - 1),
                                        static_cast<std::uint32_t>(Kind::Section) & 3U,
                                        static_cast<std::uint32_t>(sections.size())});
  sections.push_back({line, at, {}, shared});
}

void SyncHistory::end_section(LineId line, std::uint32_t lock, Reached end) {
  if (lock >= locks_.size()) return;
  // Between a section and its end come only those of other readers.
  for (std::size_t i = locks_[lock].size(); i-- > 0;) {
    Section& section = locks_[lock][i];
    if (section.line != line) continue;
    if (section.end.mark == 0) section.end = end;
    return;
  }
}

void SyncHistory::end_sections(std::uint32_t lock, Reached end) {
  if (lock >= locks_.size()) return;
  for (std::size_t i = locks_[lock].size(); i-- > 0;) {
    Section& section = locks_[lock][i];
    if (section.end.mark == 0) section.end = end;
    if (!section.shared) return;
  }
}

Mark SyncHistory::section_begin(LineId line, Mark at, std::uint32_t lock) const {
  if (lock >= locks_.size()) return 0;
  const auto& sections = locks_[lock];
  auto found = std::ranges::lower_bound(sections, at, {}, &Section::begin);
  while (found != sections.begin()) {
    --found;
    if (found->line == line) return found->begin;
  }
  return 0;
}

std::vector<std::uint32_t>& SyncClosure::part(Part which) {
  switch (which) {
    case Part::In:
      return state_.in;
    case Part::Next:
      return state_.next;
    case Part::Newest:
      return state_.newest;
  }
  CHECK(false, "unknown part");
}

void SyncClosure::set(Part which, std::size_t index, std::uint32_t value) {
  std::vector<std::uint32_t>& values = part(which);
  if (index >= values.size()) values.resize(index + 1);
  if (on_trial_) changes_.push_back({which, static_cast<std::uint32_t>(index), values[index]});
  values[index] = value;
}

void SyncClosure::undo_trial() {
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change)
    part(change->part)[change->index] = change->old;
  for (auto change = readers_changes_.rbegin(); change != readers_changes_.rend(); ++change)
    state_.readers[change->lock] = std::move(change->old);
  changes_.clear();
  readers_changes_.clear();
  on_trial_ = false;
  state_.items = items_before_;
}

std::optional<SyncHistory::SectionId> SyncClosure::section_before_newest(LineId line, Mark at,
                                                                         std::uint32_t lock) const {
  const std::uint32_t last = newest(lock);
  if (last == 0) return std::nullopt;
  const std::vector<Section>& sections = history_->locks_[lock];
  if (sections[last - 1].begin <= at) return std::nullopt;
  const auto newest_one = sections.begin() + last - 1;
  const auto behind = std::ranges::lower_bound(sections.begin(), newest_one, at, {}, &Section::begin);
  // Between a section's beginning and its end come only those of other readers.
  constexpr std::ptrdiff_t kMost = 8;
  for (std::ptrdiff_t i = 1; i <= std::min(behind - sections.begin(), kMost); ++i) {
    const Section& section = *(behind - i);
    if (section.line != line) continue;
    if (section.end.line != line || section.end.mark <= at) return std::nullopt;
    return SyncHistory::SectionId{lock, static_cast<std::uint32_t>(&section - sections.data())};
  }
  return std::nullopt;
}

void SyncClosure::raise(Reached what) {
  if (has(what)) return;
  set(Part::In, what.line.index(), what.mark);
  raised_.push_back(what.line);
}

void SyncClosure::settle() {
  while (!raised_.empty()) {
    const LineId line = raised_.back();
    raised_.pop_back();
    walk(line);
  }
}

void SyncClosure::walk(LineId line) {
  const auto& items = history_->lines_[line.index()].items;
  const std::size_t i = line.index();
  std::uint32_t next = i < state_.next.size() ? state_.next[i] : 0;
  if (next == items.size() || items[next].at > state_.in[i]) return;
  if (jump(line)) next = state_.next[i];
  const std::uint32_t first = next;
  for (; next < items.size() && items[next].at <= state_.in[i]; ++next) {
    const SyncHistory::Item& item = items[next];
    switch (static_cast<SyncHistory::Kind>(item.kind)) {
      case SyncHistory::Kind::Order:
        raise({LineId(std::uint32_t{item.subject}), item.detail});
        break;
      case SyncHistory::Kind::Reading:
      case SyncHistory::Kind::Memory:
        if (rules_ == Rules::All) raise({LineId(std::uint32_t{item.subject}), item.detail});
        break;
      case SyncHistory::Kind::Section:
        if (rules_ == Rules::All) enter(item.subject, item.detail);
        break;
    }
  }
  steps_ += next - first;
  state_.items += next - first;
  if (next != first) set(Part::Next, i, next);
}

/// The closure of the line's past, now or a while ago, if the walk will come to all of it and it is much
/// larger than this one.
const SyncHistory::State* SyncClosure::past_of(LineId line) const {
  const SyncHistory::Line& past = history_->lines_[line.index()];
  const std::size_t i = line.index();
  if (past.past == nullptr || past.past == this) return nullptr;
  // It has as many items more, at least, that need not be walked.
  const std::uint64_t least = state_.items + state_size() / kCheaper;
  const SyncHistory::State& now = past.past->state_;
  const bool whole = !past.past->on_trial_ && i < now.next.size() && now.next[i] == past.items.size() &&
                     past.items.back().at <= state_.in[i];
  if (whole) return now.items > least ? &now : nullptr;
  for (const SyncHistory::State& recent : past.recent) {
    if (recent.items <= least) return nullptr;
    if (recent.in[i] <= state_.in[i]) return &recent;
  }
  return nullptr;
}

/// Takes over the closure of the line's past, or of a checkpoint in it, if that saves much of the walk.
bool SyncClosure::jump(LineId line) {
  if (rules_ != Rules::All) return false;
  const SyncHistory::Line& past = history_->lines_[line.index()];
  const std::size_t cost = state_size();
  if (const SyncHistory::State* const state = past_of(line)) {
    merge(*state, line);
    steps_ += cost;
    return true;
  }
  if (past.checkpoints.empty()) return false;
  const std::size_t i = line.index();
  const std::uint32_t next = i < state_.next.size() ? state_.next[i] : 0;
  if (past.items.size() - next <= cost) return false;
  const auto mark = [i](const SyncHistory::State& state) { return state.in[i]; };
  const auto behind = std::ranges::upper_bound(past.checkpoints, state_.in[i], {}, mark);
  if (behind == past.checkpoints.begin()) return false;
  const SyncHistory::State& latest = *std::prev(behind);
  if (latest.next[i] <= next + cost) return false;
  merge(latest, line);
  steps_ += cost;
  return true;
}

/// Adds a closed set, but for where in it `except` is: that is known already, and not further.
void SyncClosure::merge(const SyncHistory::State& other, LineId except) {
  const auto raise_all = [this](Part which, const std::vector<std::uint32_t>& values) {
    std::vector<std::uint32_t>& mine = part(which);
    if (mine.size() < values.size()) mine.resize(values.size());
    if (!on_trial_) {
      for (std::size_t i = 0; i < values.size(); ++i) mine[i] = std::max(mine[i], values[i]);
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] > mine[i]) set(which, i, values[i]);
  };
  const Mark reached = in(except);
  raise_all(Part::In, other.in);
  state_.in[except.index()] = reached;
  raise_all(Part::Next, other.next);
  state_.items = std::accumulate(state_.next.begin(), state_.next.end(), std::uint64_t{0});
  // Both sets are closed, so only sections of different ones can be in each other's way.
  for (std::uint32_t lock = 0; lock < other.newest.size(); ++lock) {
    const std::uint32_t mine = newest(lock);
    const std::uint32_t theirs = other.newest[lock];
    if (mine == theirs) continue;
    if (std::min(mine, theirs) != 0) end(lock, std::min(mine, theirs) - 1);
    if (theirs > mine) {
      set(Part::Newest, lock, theirs);
      keep_readers_behind(lock);
    }
  }
  for (const auto& [lock, numbers] : other.readers)
    for (const std::uint32_t number : numbers) enter(lock, number);
}

std::vector<std::uint32_t>& SyncClosure::change_readers(std::uint32_t lock) {
  std::vector<std::uint32_t>& readers = state_.readers[lock];
  if (on_trial_) readers_changes_.push_back({lock, readers});
  return readers;
}

/// Readers before the newest exclusive section must be through.
void SyncClosure::keep_readers_behind(std::uint32_t lock) {
  const auto found = state_.readers.find(lock);
  if (found == state_.readers.end() || found->second.empty()) return;
  std::vector<std::uint32_t>& readers = change_readers(lock);
  std::erase_if(readers, [&](std::uint32_t reader) {
    if (reader + 1 > newest(lock)) return false;
    end(lock, reader);
    return true;
  });
  if (!readers.empty()) end(lock, newest(lock) - 1);
}

/// The section's acquire is in.
void SyncClosure::enter(std::uint32_t lock, std::uint32_t number) {
  const Section& section = history_->locks_[lock][number];
  const std::uint32_t last = newest(lock);
  if (last > number + 1) return end(lock, number);
  if (last != 0 && last != number + 1) end(lock, last - 1);
  if (!section.shared) {
    set(Part::Newest, lock, number + 1);
    return keep_readers_behind(lock);
  }
  std::vector<std::uint32_t>& readers = change_readers(lock);
  for (std::uint32_t& reader : readers) {
    if (history_->locks_[lock][reader].line != section.line) continue;
    reader = std::max(reader, number);
    return;
  }
  readers.push_back(number);
}

void SyncClosure::checkpoint(LineId line) {
  SyncHistory::Line& past = history_->lines_[line.index()];
  const auto remember = [&](SyncHistory::State& made) {
    made = state_;
    const std::size_t size = std::max({made.in.size(), made.next.size(), line.index() + 1});
    made.in.resize(size);
    made.next.resize(size);
  };
  // So it costs no more than to have walked what is new since the last one.
  if (state_.items > past.recent.front().items + state_size() / kCheaper) {
    std::swap(past.recent.front(), past.recent.back());
    remember(past.recent.front());
  }
  constexpr std::size_t kLeast = 8;
  if (past.items.size() - past.checked < std::max(kLeast, state_size())) return;
  past.checked = past.items.size();
  remember(past.checkpoints.emplace_back());
}

}  // namespace ravel
