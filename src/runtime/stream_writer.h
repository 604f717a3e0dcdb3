// The process' stream file (event/stream.h): its head, its notes, and chunks for whoever has something to
// say.
#pragma once

#include <cstddef>
#include <cstdint>

#include "event/levels.h"
#include "event/stream.h"
#include "runtime/platform.h"

namespace ravel::rt {

/// Gives a file space on disk: without it, a full disk would be a SIGBUS in the program.
bool extend_file(int file, std::uint64_t from, std::uint64_t bytes);
/// Descriptors below are the program's: it may expect the lowest free number, or close them all.
int move_high(int file);

class StreamWriter {
 public:
  /// How the run is recorded: the part of the head that does not change.
  struct Levels {
    FilterLevel filter;
    AccessOrder access_order;
    ValueLevel values;
  };
  /// Creates `directory/name.PID.rvl` (with a further number if there is one). False, after a message: the
  /// program runs on without being recorded.
  bool create(const char* directory, const char* name, std::uint64_t max_bytes, const Levels& levels);
  /// In a forked child: drops the parent's file without a change to it.
  void abandon();

  stream::StreamHead& head() const { return *head_; }
  bool is_open() const { return head_ != nullptr; }

  /// A chunk with a clean head; nullptr: recording has stopped (the head says why). May wait for the reader.
  stream::ChunkHead* take_chunk(stream::ChunkRef& ref);
  /// The chunk is full and has a next one. Many that wait for the reader leave this process' memory; they
  /// stay in the file.
  void leave_chunk(stream::ChunkHead* chunk) const;
  /// A new thread's slot; nullptr: there are too many, and recording has stopped.
  stream::ThreadSlot* take_slot(std::uint32_t parent, std::uint32_t child, bool foreign,
                                std::uint32_t& index);
  stream::ThreadSlot* slot(std::uint32_t index) const;
  /// Space for a group of sites, for whom nobody else asks at the same time; nullptr: recording has stopped.
  stream::SiteGroup* take_group(std::uint32_t number);
  stream::SiteGroup* group(std::uint32_t number) const {
    return reinterpret_cast<stream::SiteGroup*>(at(head_->group_chunks[number / stream::kGroupsPerChunk])) +
           number % stream::kGroupsPerChunk;
  }
  /// One line, without its end. Dropped when there is no more space.
  void note(const char* line, std::size_t length);

  void stop(stream::Stop why);
  /// Records are dropped. A process that exits or calls exec is not there yet: its threads still run.
  bool stopped() const { return head_->end_stamp.load(std::memory_order_relaxed) != 0; }
  const char* path() const { return path_; }
  /// Its descriptor, which the program must not close; -1: none.
  int file() const { return head_ != nullptr ? file_ : -1; }

 private:
  static constexpr std::uint32_t kMaxExtents = 1 << 16;

  stream::ChunkHead* at(stream::ChunkRef ref) const {
    const std::uint32_t index = ref - 1;
    return reinterpret_cast<stream::ChunkHead*>(extents_[index / stream::kExtentChunks] +
                                                index % stream::kExtentChunks * stream::kChunkBytes);
  }
  /// Sees to it that a table of the head has this chunk.
  bool take_table_chunk(stream::ChunkRef& home);
  stream::ChunkRef pop_free();
  bool grow();
  bool must_wait() const;

  stream::StreamHead* head_ = nullptr;
  char* notes_ = nullptr;
  char** extents_ = nullptr;  ///< by chunk / kExtentChunks
  int file_ = -1;
  std::uint64_t max_chunks_ = 0;
  std::uint32_t table_chunks_ = 0;  ///< in use for good
  SpinLock growing_;
  SpinLock noting_;
  char path_[4096] = {};
};

}  // namespace ravel::rt
