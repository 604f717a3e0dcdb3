#include "trace/stream_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "event/check.h"

namespace ravel::stream {

ThreadSlot* StreamThread::slot() {
  if (slot_ == nullptr) slot_ = file_->slot(index_);
  return slot_;
}

bool StreamThread::enter(Cursor& cursor, ChunkRef ref) {
  const bool first = cursor.chunk == nullptr;
  ChunkHead* const chunk = file_->chunk(ref);
  const std::uint32_t expected = first ? 0 : cursor.number + 1;
  if (chunk == nullptr) {
    torn_ = fmt::format("its chunk {} is not in the file", expected);
    return false;
  }
  // The numbers grow along the list, so a list that was tampered with ends, too.
  if (chunk->thread != index_ || (first ? chunk->number < expected : chunk->number != expected)) {
    torn_ = fmt::format("its chunk {} was not finished", expected);
    return false;
  }
  if (first) missing_chunks_ = chunk->number;
  cursor = {.ref = ref, .chunk = chunk, .number = chunk->number};
  return true;
}

StreamThread::Step StreamThread::stand(Cursor& cursor) {
  if (cursor.chunk == nullptr) {
    const ChunkRef first = slot() == nullptr ? 0 : slot()->first.load(std::memory_order_acquire);
    if (first == 0 || !enter(cursor, first)) return Step::Nothing;
  }
  while (cursor.offset >= cursor.used) {
    // In this order: who has a next chunk writes no more into this one.
    const ChunkRef next = cursor.chunk->next.load(std::memory_order_acquire);
    const std::uint32_t used = cursor.chunk->used.load(std::memory_order_acquire);
    if (used > kChunkRecordBytes || used % sizeof(Record) != 0) return Step::Damaged;
    if (used > cursor.used) {
      cursor.used = used;
    } else if (next == 0 || !enter(cursor, next)) {
      return Step::Nothing;
    }
  }
  return Step::Record;
}

bool StreamThread::look(std::uint64_t limit) {
  if (next_stamp_ != 0) {
    if (next_stamp_ >= limit) return true;
    make_ready();
  }
  while (!cut_ && next_stamp_ == 0) {
    switch (stand(find_)) {
      case Step::Nothing:
        return true;
      case Step::Damaged:
        damage_ = fmt::format("chunk {} claims {} bytes of records", find_.number, find_.chunk->used.load());
        return false;
      case Step::Record:
        break;
    }
    if (!look_in_chunk(limit)) return false;
    if (ready()) break;
  }
  return true;
}

/// Looks at the rest of the chunk, as far as it was there when the cursor came to it.
bool StreamThread::look_in_chunk(std::uint64_t limit) {
  const auto* const first = reinterpret_cast<const Record*>(StreamFile::records(*find_.chunk));
  const Record* const begin = first + find_.offset / sizeof(Record);
  const Record* const end = first + find_.used / sizeof(Record);
  const Record* at = begin;
  const Record* ready = nullptr;
  const std::uint64_t stop = std::min(limit, end_stamp_);
  std::uint64_t last = last_stamp_;
  std::uint64_t next = 0;
  bool cut = false;
  while (at < end) {
    if (!at->extra()) {
      ++at;
      continue;
    }
    if (end - at < 2) {
      damage_ = fmt::format("chunk {} ends within a record", find_.number);
      return false;
    }
    const std::uint64_t stamp = std::bit_cast<RecordExtra>(at[1]).stamp;
    if (stamp >= stop && stamp >= end_stamp_) {
      cut = true;
      break;
    }
    at += 2;
    if (stamp == 0) continue;
    if (stamp < last) {
      damage_ = fmt::format("stamp {} comes after stamp {}", stamp, last);
      return false;
    }
    last = stamp;
    if (stamp >= stop) {
      next = stamp;
      break;
    }
    ready = at;
  }
  // After the records were read: who could rest on a missing one was written after the end was said.
  if (end_stamp_ == kNoStamp) {
    if (const std::uint64_t said = file_->head().end_stamp.load(std::memory_order_acquire); said != 0) {
      end_stamp_ = said;
      return look_in_chunk(limit);
    }
  }
  if (ready != nullptr) ready_ = looked_at_ + static_cast<std::uint64_t>(ready - begin);
  looked_at_ += static_cast<std::uint64_t>(at - begin);
  find_.offset = static_cast<std::uint32_t>((at - first) * static_cast<std::ptrdiff_t>(sizeof(Record)));
  last_stamp_ = last;
  next_stamp_ = next;
  cut_ = cut;
  return true;
}

bool StreamThread::advance() {
  const ChunkRef before = give_.ref;
  if (stand(give_) != Step::Record) return false;
  if (before != 0 && give_.ref != before && file_->writable()) {
    slot()->first.store(give_.ref, std::memory_order_release);  // so that the list stays one
    file_->free_chunk(before);
  }
  return true;
}

std::span<const Record> StreamThread::run() {
  CHECK(ready());
  if (!advance()) return {};
  const std::uint64_t rest = (give_.used - give_.offset) / sizeof(Record);
  return {reinterpret_cast<const Record*>(StreamFile::records(*give_.chunk) + give_.offset),
          static_cast<std::size_t>(std::min(rest, ready_ - given_))};
}

void StreamThread::took(std::size_t sixteens) {
  given_ += sixteens;
  give_.offset += static_cast<std::uint32_t>(sixteens * sizeof(Record));
  if (pending() && !ready()) advance();
}

void StreamThread::end() {
  CHECK(!pending());
  if (!file_->writable() || find_.ref == 0) return;
  slot()->first.store(0, std::memory_order_release);
  if (give_.ref != find_.ref && give_.ref != 0) file_->free_chunk(give_.ref);
  file_->free_chunk(find_.ref);
  find_ = give_ = {};
}

void StreamThread::rewind() { *this = StreamThread(*file_, index_); }

}  // namespace ravel::stream
