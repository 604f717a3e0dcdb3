// StreamThread: a reader's place in the records of one thread of a stream.
//
// Two cursors move over the thread's chunks: one looks for the next stamp, the other follows it and gives
// records out.
#pragma once

#include <cstdint>
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

  /// Looks at records until there is one with a stamp that is not below `limit`. Those up to the last smaller
  /// stamp become ready. Stops at the end of a chunk if there are some: they are still in the processor's
  /// caches then. False: the records are damaged (damage()).
  bool look(std::uint64_t limit);
  /// The next stamp, if the last look has come to it; else 0. Its record was looked at.
  std::uint64_t next_stamp() const { return next_stamp_; }
  std::uint64_t last_stamp() const { return last_stamp_; }  ///< of all that were looked at
  const std::string& damage() const { return damage_; }     ///< a sentence for the user

  /// Whether there are records that were looked at and not given out.
  bool pending() const { return given_ < looked_at_; }
  /// Whether there are some to give out now.
  bool ready() const { return given_ < ready_; }
  /// All that were looked at become ready.
  void make_ready() {
    ready_ = only_chunks_ ? looked_at_in_chunks() : looked_at_;
    only_chunks_ = false;
    next_stamp_ = 0;
  }
  /// Those in whole chunks will be made ready, though no stamp follows them. The others may still change: the
  /// program adds to its last accesses. False: there are none.
  bool offer_chunks() {
    only_chunks_ = looked_at_in_chunks() > given_;
    return only_chunks_;
  }
  /// Some records that are ready, as they lie in their chunk, the second halves of long ones included. Chunks
  /// before it go back to a program that is attached to. Empty: they have vanished since they were looked at.
  std::span<const Record> run();
  /// So many sixteens of the run were given out.
  void took(std::size_t sixteens);
  /// Gives the last chunk back, once everything was taken and nothing more will come.
  void end();

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

  std::uint64_t looked_at_in_chunks() const { return looked_at_ - find_.offset / sizeof(Record); }
  /// To the next record to give out. The chunk before it goes back to a program that is attached to. False:
  /// there is none.
  bool advance();
  static constexpr std::uint64_t kNoStamp = ~std::uint64_t{0};

  /// Makes the cursor stand before a record, in the next chunk if need be.
  Step stand(Cursor& cursor);
  bool enter(Cursor& cursor, ChunkRef ref);
  bool look_in_chunk(std::uint64_t limit);

  StreamFile* file_;
  std::uint32_t index_;
  ThreadSlot* slot_ = nullptr;
  Cursor find_, give_;
  std::uint64_t looked_at_ = 0, ready_ = 0, given_ = 0;  ///< in sixteens
  std::uint64_t last_stamp_ = 0, next_stamp_ = 0;
  std::uint64_t end_stamp_ = kNoStamp;  ///< StreamHead::end_stamp, once it is there
  bool cut_ = false;                    ///< it has come to that
  bool only_chunks_ = false;            ///< make_ready makes only records in whole chunks ready
  std::string damage_;
  std::uint32_t missing_chunks_ = 0;
  std::string torn_;
};

}  // namespace ravel::stream
