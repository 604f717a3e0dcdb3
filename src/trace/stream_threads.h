// StreamThread: a reader's place in the records of one thread of a stream.
//
// Two cursors move over the thread's chunks: one looks for the next stamp, the other follows it and gives
// records out.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>

#include "trace/stream_decode.h"
#include "trace/stream_file.h"

namespace ravel::stream {

class StreamThread {
 public:
  StreamThread(StreamFile& file, std::uint32_t index) : file_(&file), index_(index) {
    context.thread = ThreadId(index);
  }

  ThreadContext context;
  /// Its next stamp is at least this.
  std::uint64_t floor = 1;

  std::uint32_t index() const { return index_; }
  /// Null: it has not got one yet.
  ThreadSlot* slot();

  /// Looks for the next stamped record beyond those already found, and gives its stamp; 0: there is none yet.
  /// An error is a sentence for the user.
  std::expected<std::uint64_t, std::string> find_stamp();
  std::uint64_t last_stamp() const { return last_stamp_; }

  /// Records that were looked at and not yet given out.
  std::uint64_t pending() const { return looked_at_ - given_; }
  /// Some of them, as they lie in their chunk, the second halves of long ones included. Chunks before it go
  /// back to a program that is attached to. Empty: they have vanished since they were looked at.
  std::span<const Record> run();
  /// So many records of the run, in so many sixteens, were given out.
  void took(std::uint64_t records, std::size_t sixteens);
  /// Gives the last chunk back, once everything was taken and nothing more will come.
  void end();
  /// Whole chunks among those with pending records.
  bool fills_chunks() const { return find_.number > give_.number; }

  /// Why there may be more records than could be read; empty: there are not.
  const std::string& torn() const { return torn_; }
  /// Chunks that an attached reader has taken earlier.
  std::uint32_t missing_chunks() const { return missing_chunks_; }

  /// Back to the first record.
  void rewind();

 private:
  struct Cursor {
    ChunkRef ref = 0;
    ChunkHead* chunk = nullptr;
    std::uint32_t number = 0;
    std::uint32_t offset = 0;  ///< of the next record
    std::uint32_t used = 0;    ///< bytes of complete records, as seen last
  };
  enum class Step : std::uint8_t { Record, Nothing, Damaged };

  /// Makes the cursor stand before a record, in the next chunk if need be.
  Step stand(Cursor& cursor);
  bool enter(Cursor& cursor, ChunkRef ref);

  StreamFile* file_;
  std::uint32_t index_;
  ThreadSlot* slot_ = nullptr;
  Cursor find_, give_;
  std::uint64_t looked_at_ = 0, given_ = 0;
  std::uint64_t last_stamp_ = 0;
  bool cut_ = false;  ///< it has come to StreamHead::end_stamp
  std::uint32_t missing_chunks_ = 0;
  std::string torn_;
};

}  // namespace ravel::stream
