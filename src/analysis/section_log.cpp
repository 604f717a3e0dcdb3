#include "analysis/section_log.h"

#include <algorithm>

namespace ravel {

void SectionLog::append(Epoch acquired, const VectorClock& released, const VectorClock& previous) {
  const auto now = released.times(), before = previous.times();
  for (std::size_t u = 0; u < now.size(); ++u)
    if (now[u] > (u < before.size() ? before[u] : 0)) rises_.push_back({ThreadId(u), now[u]});
  sections_.push_back({acquired, ++end_, rises_.size()});
}

std::size_t SectionLog::join(VectorClock& P, std::uint64_t end) const {
  std::size_t i = implied_index_;
  std::uint64_t begin = i == 0 ? 0 : sections_[i - 1].rises;
  for (std::uint64_t number = implied_; i < sections_.size() && number < end; ++i) {
    for (; begin < sections_[i].rises; ++begin)
      if (P[rises_[begin].thread] < rises_[begin].time) P.set(rises_[begin].thread, rises_[begin].time);
    number = sections_[i].end;
  }
  return i;
}

void SectionLog::raise(VectorClock& P, std::uint64_t end) {
  const std::size_t to = join(P, end);
  if (to == implied_index_) return;
  implied_index_ = to;
  implied_ = sections_[to - 1].end;
}

void SectionLog::raise_reader(VectorClock& P, std::uint64_t end) const { join(P, end); }

std::uint64_t SectionLog::covered(const VectorClock& P) const {
  const auto first = sections_.begin() + static_cast<std::ptrdiff_t>(implied_index_);
  // Mostly none is.
  if (first == sections_.end() || !P.covers(first->acquired)) return implied_;
  const auto after = std::partition_point(first, sections_.end(),
                                          [&](const Section& section) { return P.covers(section.acquired); });
  return std::prev(after)->end;
}

void SectionLog::checkpoint() {
  checkpoint_ = {sections_.size(), rises_.size(), implied_index_, end_, implied_};
}

void SectionLog::restore() {
  sections_.resize(checkpoint_.sections);
  rises_.resize(checkpoint_.rises);
  implied_index_ = checkpoint_.implied_index;
  end_ = checkpoint_.end;
  implied_ = checkpoint_.implied;
}

void SectionLog::trim() {
  constexpr std::size_t kFew = 32;
  if (implied_index_ < kFew || implied_index_ * 2 < sections_.size()) return;
  const std::uint64_t rises = sections_[implied_index_ - 1].rises;
  sections_.erase(sections_.begin(), sections_.begin() + static_cast<std::ptrdiff_t>(implied_index_));
  rises_.erase(rises_.begin(), rises_.begin() + static_cast<std::ptrdiff_t>(rises));
  for (Section& section : sections_) section.rises -= rises;
  implied_index_ = 0;
}

void SectionLog::thin() {
  std::vector<Section> sections;
  std::vector<Rise> rises;
  std::size_t i = implied_index_;
  std::uint64_t begin = i == 0 ? 0 : sections_[i - 1].rises;
  for (; i < sections_.size(); ++i) {
    const Section& first = sections_[i];
    const Section& last = i + 1 < sections_.size() ? sections_[++i] : first;
    // Both have their rises by thread, and those of the last are higher.
    std::uint64_t a = begin, b = first.rises;
    while (a < first.rises || b < last.rises) {
      const bool from_last = a == first.rises || (b < last.rises && rises_[b].thread <= rises_[a].thread);
      if (from_last && a < first.rises && rises_[a].thread == rises_[b].thread) ++a;
      rises.push_back(rises_[from_last ? b++ : a++]);
    }
    begin = last.rises;
    sections.push_back({first.acquired, last.end, rises.size()});
  }
  sections_ = std::move(sections);
  rises_ = std::move(rises);
  implied_index_ = 0;
}

LockSections::Reader& LockSections::reader(ThreadId thread) {
  const auto [entry, fresh] = reader_of_.try_emplace(thread, readers.size());
  if (fresh) readers.emplace_back().thread = thread;
  return readers[entry->second];
}

void LockSections::append_shared(ThreadId thread, Epoch acquired, const VectorClock& released) {
  Reader& self = reader(thread);
  if (self.saved_at != checkpoint_) {
    self.saved_last = self.last;
    self.saved_at = checkpoint_;
  }
  self.log.append(acquired, released, self.last);
  self.last = released;
}

void LockSections::raise_readers(VectorClock& P) {
  // One reader's section may know another one's.
  for (bool rose = true; rose;) {
    rose = false;
    for (Reader& each : readers) {
      const std::uint64_t end = each.log.covered(P);
      if (end <= each.log.implied()) continue;
      each.log.raise(P, end);
      rose = readers.size() > 1;
    }
  }
}

void LockSections::make_checkpoint(std::uint64_t number) {
  checkpoint_ = number;
  exclusive.checkpoint();
  for (Reader& each : readers) each.log.checkpoint();
}

void LockSections::restore() {
  exclusive.restore();
  for (Reader& each : readers) {
    each.log.restore();
    if (each.saved_at == checkpoint_) each.last = each.saved_last;
  }
}

void LockSections::trim() {
  exclusive.trim();
  for (Reader& each : readers) each.log.trim();
}

void LockSections::thin() {
  exclusive.thin();
  for (Reader& each : readers) each.log.thin();
}

std::size_t LockSections::kept() const {
  std::size_t count = exclusive.kept();
  for (const Reader& each : readers) count += each.log.kept();
  return count;
}

void SectionLogs::thin() {
  kept_ = 0;
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    locks_[i].thin();
    kept_ += locks_[i].kept();
  }
  // What one section of each lock needs is not too much.
  limit_ = std::max(kLimit, 2 * kept_);
}

}  // namespace ravel
