#include "analysis/resolver.h"

#include <algorithm>
#include <utility>

#include "analysis/time_search.h"

namespace ravel {

Resolver::Page& Resolver::find_page(std::uint64_t number) {
  Page*& page = pages_[number];
  if (page == nullptr) {
    // Few for small traces, then as many at a time as make huge pages worth while.
    constexpr std::size_t kFirstChunk = 8, kChunk = 2 * kHugePage / sizeof(Page);
    if (page_chunks_.empty() || page_chunks_.back().size() == page_chunks_.back().capacity()) {
      const std::size_t pages = page_chunks_.empty() ? kFirstChunk : kChunk;
      page_chunks_.emplace_back().reserve(pages);
    }
    page = &page_chunks_.back().emplace_back();
  }
  recent_[number % kPageCache] = {number, page};
  return *page;
}

void Resolver::Holder::change(LocksetId locks) {
  constexpr std::size_t kChanges = 4096;
  held = locks;
  const Change now{time + 1, locks};  // the event that changes them is still of the time before
  if (changes.size() < kChanges)
    changes.push_back(now);
  else
    changes[changed % kChanges] = now;
  ++changed;
}

LocksetId Resolver::Holder::held_at(std::uint64_t then) const {
  // They come in the order of their times, from the oldest at `changed`, if the ring is full, on.
  const std::size_t oldest = changed > changes.size() ? changed % changes.size() : 0;
  const auto at = [&](std::size_t i) -> const Change& {
    return changes[oldest + i < changes.size() ? oldest + i : oldest + i - changes.size()];
  };
  const std::size_t begun = count_until(changes.size(), then, [&](std::size_t i) { return at(i).time; });
  if (begun > 0) return at(begun - 1).held;
  return changed > changes.size() ? LocksetId() : LocksetTable::kEmpty;
}

std::span<const Event> Resolver::resolve(std::span<Event>& batch) {
  free_.insert(free_.end(), retired_.begin(), retired_.end());
  retired_.clear();
  blocks_.begin_batch();
  out_.clear();

  // Nearly every batch resolves event by event and stays where it is.
  constexpr std::size_t kAhead = 16;
  std::size_t done = 0;
  for (; done < batch.size(); ++done) {
    Event& event = batch[done];
    if (done + kAhead < batch.size()) prefetch(batch[done + kAhead]);
    if (is_access(event.kind)) {
      const std::uint64_t word = event.target / kWordBytes;
      const std::uint64_t offset = event.target % kWordBytes;
      const auto bytes = static_cast<std::uint64_t>((1U << (event.width & 15U)) - 1U) << offset;
      Cell& cell = page(word / kPageWords)[word % kPageWords];
      if (cell.bytes != bytes || event.width > kWordBytes || bytes == 0) [[unlikely]] {
        if (cell.id.valid() || bytes == 0 || offset + event.width > kWordBytes) break;
        cell.bytes = static_cast<std::uint8_t>(bytes);
        cell.id = new_variable(word, cell.bytes);
      }
      if (kPlainAccesses.has(event.kind)) [[likely]] {
        event.resolve(cell.id.value, holder(event.thread).held);
        continue;
      }
      event.resolve(cell.id.value, held(event));
    } else if (target_space(event.kind) == TargetSpace::Range) {
      break;
    } else {
      resolve_in_place(event);
    }
    if (kTimeSteps.has(event.kind)) ++holder(event.thread).time;
  }
  if (done == batch.size()) return std::exchange(batch, {});

  constexpr std::size_t kEnough = 1024;
  out_.assign(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(done));
  while (done < batch.size() && out_.size() < kEnough) {
    Event& event = batch[done];
    if (done + kAhead < batch.size()) prefetch(batch[done + kAhead]);
    if (done + kAhead / 2 < batch.size()) prefetch_shared(batch[done + kAhead / 2]);
    if (is_access(event.kind)) {
      access(event);
    } else if (target_space(event.kind) == TargetSpace::Range) {
      if (!range(event)) continue;
    } else {
      resolve_in_place(event);
      out_.push_back(event);
    }
    if (kTimeSteps.has(event.kind)) ++holder(event.thread).time;
    ++done;
  }
  batch = batch.subspan(done);
  return out_;
}

bool Resolver::range(const Event& event) {
  // Memory that has names needs no allocation to be named after.
  if (ended_ == 0 && (event.kind == EventKind::Alloc || event.kind == EventKind::Block) &&
      !is_synthetic(event.address()))
    blocks_.add(event);
  if (event.kind != EventKind::Block) {
    constexpr std::uint32_t kSlice = 256 << 10;
    Event slice = event;
    slice.target += ended_;
    slice.width = std::min(event.width - ended_, kSlice);
    end_memory(slice);
    ended_ += slice.width;
    if (ended_ < event.width) return false;
    ended_ = 0;
  }
  out_.push_back(event);
  return true;
}

void Resolver::resolve_in_place(Event& event) {
  Holder& self = holder(event.thread);
  switch (target_space(event.kind)) {
    case TargetSpace::Lock: {
      const LockId id = lock(event, TargetSpace::Lock);
      if (event.kind == EventKind::Acquire || event.kind == EventKind::AcquireShared)
        self.change(locksets_.with(self.held, {id, event.kind == EventKind::AcquireShared}));
      else if (event.kind == EventKind::Release || event.kind == EventKind::ReleaseShared)
        self.change(locksets_.without(self.held, id));
      event.resolve(id.value, self.held);
      return;
    }
    case TargetSpace::Condition:
    case TargetSpace::Barrier:
      event.resolve(lock(event, target_space(event.kind)).value, self.held);
      return;
    case TargetSpace::Thread:
    case TargetSpace::Unit:
    case TargetSpace::None:
      event.resolve(static_cast<std::uint32_t>(event.target), self.held);
      return;
    case TargetSpace::Variable:
    case TargetSpace::Range:
      break;
  }
  CHECK(false, "memory is resolved elsewhere");
}

LockId Resolver::lock(const Event& event, TargetSpace space) {
  const auto [entry, fresh] = lock_ids_.try_emplace(event.target);
  if (fresh) {
    entry->second = LockId(locks_.size());
    locks_.push_back({event.target, space});
  }
  return entry->second;
}

std::string Resolver::lock_name(LockId lock, const Tables& tables) const {
  const LockRow& row = locks_[lock.index()];
  return tables.name(row.space, row.address);
}

VariableId Resolver::new_variable(std::uint64_t word, std::uint8_t bytes) {
  const Variables::Row row{word * kWordBytes, bytes};
  if (free_.empty()) {
    variables_.rows_.push_back(row);
    return VariableId(variables_.rows_.size() - 1);
  }
  const VariableId id = free_.back();
  free_.pop_back();
  variables_.rows_[id.index()] = row;
  return id;
}

template <typename Use>
void Resolver::cover(const Event& event, LocksetId held, std::uint64_t word, Cell& cell, std::uint8_t bytes,
                     bool create, const Use& use) {
  if (!cell.id.valid()) {
    if (!create) return;
    cell = {new_variable(word, bytes), bytes};
    return use(cell.id);
  }
  if (cell.bytes == bytes) return use(cell.id);
  if (cell.bytes != 0) {  // from now on the word holds several variables
    words_.push_back({});
    words_.back().cells[0] = cell;
    cell = {VariableId(words_.size() - 1), 0};
  }
  SharedWord& shared = words_[cell.id.index()];
  const std::size_t count = shared.count();
  std::size_t end = count;
  std::uint8_t uncovered = bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const auto common = static_cast<std::uint8_t>(shared.cells[i].bytes & bytes);
    if (common == 0) continue;
    uncovered &= static_cast<std::uint8_t>(~common);
    if (common == shared.cells[i].bytes) {
      use(shared.cells[i].id);
      continue;
    }
    Cell& rest = shared.cells[i];
    const VariableId part = new_variable(word, common);
    rest.bytes &= static_cast<std::uint8_t>(~common);
    variables_.rows_[rest.id.index()].bytes = rest.bytes;
    shared.cells[end++] = {part, common};
    Event split = event;
    split.kind = EventKind::Split;
    split.value = rest.id.value;
    split.resolve(part.value, held);
    out_.push_back(split);
    use(part);
  }
  if (uncovered != 0 && create) {
    const VariableId rest = new_variable(word, uncovered);
    shared.cells[end] = {rest, uncovered};
    use(rest);
  }
}

void Resolver::word_access(const Event& event, LocksetId held, std::uint64_t word, std::uint8_t bytes) {
  cover(event, held, word, page(word / kPageWords)[word % kPageWords], bytes, true, [&](VariableId id) {
    out_.push_back(event);
    out_.back().resolve(id.value, held);
  });
}

void Resolver::access(const Event& event) {
  std::uint64_t address = event.target;
  std::uint64_t left = std::max<std::uint64_t>(event.width, 1);
  const LocksetId locks = held(event);
  while (left > 0) {
    const std::uint64_t offset = address % kWordBytes;
    const std::uint64_t here = std::min(left, kWordBytes - offset);
    word_access(event, locks, address / kWordBytes, static_cast<std::uint8_t>(((1U << here) - 1U) << offset));
    address += here;
    left -= here;
  }
}

void Resolver::end_memory(const Event& event) {
  const std::uint64_t begin = event.target;
  const std::uint64_t end = begin + event.width;
  const LocksetId locks = held(event);
  const auto end_page = [&](std::uint64_t number, Page& memory) {
    const std::uint64_t first = number * kPageWords;
    const std::uint64_t from = std::max(first, begin / kWordBytes);
    const std::uint64_t to = std::min(first + kPageWords, (end + kWordBytes - 1) / kWordBytes);
    for (std::uint64_t word = from; word < to; ++word) {
      Cell& cell = memory[word - first];
      if (!cell.id.valid()) continue;
      const std::uint64_t low = std::max(begin, word * kWordBytes) - word * kWordBytes;
      const std::uint64_t high = std::min(end, (word + 1) * kWordBytes) - word * kWordBytes;
      const auto bytes = static_cast<std::uint8_t>(((1U << (high - low)) - 1U) << low);
      const auto retire = [&](VariableId id) {
        Event gone = event;
        gone.resolve(id.value, locks);
        if (event.kind == EventKind::Free) {
          gone.kind = EventKind::Write;
          out_.push_back(gone);
        }
        gone.kind = EventKind::Retire;
        gone.value = static_cast<std::uint64_t>(event.kind);
        out_.push_back(gone);
        retired_.push_back(id);
      };
      // A word is forgotten as a whole where possible; the bytes that stay keep their variables.
      if (cell.bytes != 0 && (cell.bytes & ~bytes) == 0) {
        retire(cell.id);
        cell = {};
        continue;
      }
      cover(event, locks, word, cell, bytes, false, retire);
      if (cell.bytes == 0) {
        SharedWord& shared = words_[cell.id.index()];
        const auto gone =
            std::ranges::remove_if(shared.cells, [&](const Cell& part) { return (part.bytes & bytes) != 0; });
        std::ranges::fill(gone, Cell{});
      }
    }
  };
  const std::uint64_t first_page = begin / kWordBytes / kPageWords;
  const std::uint64_t last_page = (end == begin ? begin : end - 1) / kWordBytes / kPageWords;
  if (last_page - first_page < pages_.size()) {
    for (std::uint64_t number = first_page; number <= last_page; ++number)
      if (const auto found = pages_.find(number); found != pages_.end()) end_page(number, *found->second);
  } else {
    for (auto& [number, memory] : pages_)
      if (number >= first_page && number <= last_page) end_page(number, *memory);
  }
  // A lock in that memory is another lock from now on.
  if (event.kind == EventKind::ObjectBegin || event.width == 0) return;
  constexpr std::uint64_t kLockAlignment = 4;
  if (event.width / kLockAlignment < lock_ids_.size()) {
    for (std::uint64_t address = begin; address < end; address += kLockAlignment) lock_ids_.erase(address);
  } else {
    boost::unordered::erase_if(lock_ids_,
                               [&](const auto& entry) { return entry.first - begin < event.width; });
  }
}

}  // namespace ravel
