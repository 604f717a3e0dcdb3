#include "trace/stream_threads.h"

#include <fmt/format.h>

#include <cstring>

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

std::expected<std::uint64_t, std::string> StreamThread::find_stamp() {
  if (cut_) return 0;
  while (true) {
    switch (stand(find_)) {
      case Step::Nothing:
        return 0;
      case Step::Damaged:
        return std::unexpected(
            fmt::format("chunk {} claims {} bytes of records", find_.number, find_.chunk->used.load()));
      case Step::Record:
        break;
    }
    const unsigned char* const records = StreamFile::records(*find_.chunk);
    while (find_.offset < find_.used) {
      WholeRecord whole;
      std::memcpy(&whole.record, records + find_.offset, sizeof whole.record);
      if (!whole.record.extra()) {
        find_.offset += sizeof whole.record;
        ++looked_at_;
        continue;
      }
      if (find_.offset + sizeof whole > find_.used)
        return std::unexpected(fmt::format("chunk {} ends within a record", find_.number));
      std::memcpy(&whole.extra, records + find_.offset + sizeof whole.record, sizeof whole.extra);
      find_.offset += sizeof whole;
      ++looked_at_;
      if (!whole.stamped()) continue;
      if (whole.extra.stamp < last_stamp_)
        return std::unexpected(fmt::format("stamp {} comes after stamp {}", whole.extra.stamp, last_stamp_));
      // After the record was read: who could rest on a missing one was written after the end was said.
      if (const std::uint64_t end = file_->head().end_stamp.load(std::memory_order_acquire);
          end != 0 && whole.extra.stamp >= end) {
        cut_ = true;
        --looked_at_;
        find_.offset -= static_cast<std::uint32_t>(sizeof whole);
        return 0;
      }
      last_stamp_ = whole.extra.stamp;
      return last_stamp_;
    }
  }
}

std::span<const Record> StreamThread::run() {
  CHECK(pending() > 0);
  const ChunkRef before = give_.ref;
  if (stand(give_) != Step::Record) return {};
  if (before != 0 && give_.ref != before && file_->writable()) {
    slot()->first.store(give_.ref, std::memory_order_release);  // so that the list stays one
    file_->free_chunk(before);
  }
  const std::uint32_t end = give_.ref == find_.ref ? find_.offset : give_.used;
  if (end <= give_.offset) return {};
  return {reinterpret_cast<const Record*>(StreamFile::records(*give_.chunk) + give_.offset),
          (end - give_.offset) / sizeof(Record)};
}

void StreamThread::took(std::uint64_t records, std::size_t sixteens) {
  given_ += records;
  give_.offset += static_cast<std::uint32_t>(sixteens * sizeof(Record));
}

void StreamThread::end() {
  CHECK(pending() == 0);
  if (!file_->writable() || find_.ref == 0) return;
  slot()->first.store(0, std::memory_order_release);
  if (give_.ref != find_.ref && give_.ref != 0) file_->free_chunk(give_.ref);
  file_->free_chunk(find_.ref);
  find_ = give_ = {};
}

void StreamThread::rewind() { *this = StreamThread(*file_, index_); }

}  // namespace ravel::stream
