// StreamWriter: writes a stream (event/stream.h) as the runtime of a recorded program does, for tests of the
// reading side.
//
// Its threads may be used from threads of the test, each from one, while a reader is attached.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include "event/stream.h"
#include "trace/header.h"

namespace ravel::test {

/// One record. Fields as in Event; `stamp` as the writer is told.
struct StreamRecord {
  EventKind kind = EventKind::Read;
  std::uint64_t body = 0;
  std::uint64_t width = 0;
  std::uint32_t place = 0;
  std::uint32_t ordinal = 0;
  MemoryOrder order = MemoryOrder::None;
  bool has_value = false;
  std::uint64_t value = 0;
};

class StreamWriter;

class StreamThreadWriter {
 public:
  StreamThreadWriter(StreamWriter& writer, std::uint32_t index) : writer_(writer), index_(index) {}

  /// Without a stamp.
  void write(const StreamRecord& record) { put(record, false); }
  /// With the next one.
  void stamp(const StreamRecord& record) { put(record, true); }
  void control(stream::Control control, std::uint64_t body);
  void retro(EventKind kind, std::uint64_t address, std::uint32_t width, std::uint32_t place,
             std::uint32_t thread, std::uint64_t time, bool one_of_several = false);
  void end();

  std::uint32_t index() const { return index_; }
  stream::ChunkHead* chunk() { return chunk_; }
  /// For damaged streams: any record, any stamp.
  void raw(const stream::Record& record, const stream::RecordExtra* extra = nullptr);

 private:
  void put(const StreamRecord& record, bool stamped);
  void make_room(std::size_t bytes);

  StreamWriter& writer_;
  std::uint32_t index_;
  stream::ChunkHead* chunk_ = nullptr;
};

class StreamWriter {
 public:
  explicit StreamWriter(const std::string& path);
  ~StreamWriter();
  StreamWriter(const StreamWriter&) = delete;
  StreamWriter& operator=(const StreamWriter&) = delete;

  stream::StreamHead& head() { return *reinterpret_cast<stream::StreamHead*>(data_); }
  stream::ThreadSlot& slot(std::uint32_t index);
  stream::ChunkHead& chunk(stream::ChunkRef ref);

  StreamThreadWriter& add_thread(std::string_view name = {});
  void note(std::string_view line);
  /// A site, in a group of its own, and its number.
  std::uint32_t add_site(std::uint32_t code, std::uint32_t caller = 0);
  void stop(stream::Stop why) { head().stop.store(static_cast<std::uint32_t>(why)); }

  std::uint32_t chunks_used() { return head().chunks_used.load(); }

 private:
  friend class StreamThreadWriter;
  /// Waits for a free one if a reader has asked for that.
  stream::ChunkRef take_chunk();

  int descriptor_;
  std::byte* data_;
  std::mutex mutex_;  ///< of growth
  std::deque<StreamThreadWriter> threads_;
  std::uint32_t groups_ = 1;
};

}  // namespace ravel::test
