// StreamFile: the file of a stream (event/stream.h), mapped, behind checks: nothing in it is trusted.
//
// Pointers into it stay good while it lives: when the program makes the file longer, the new part is mapped
// beside the old ones. Owned by one thread; the recorded program writes to the same memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "event/result.h"
#include "event/stream.h"

namespace ravel::stream {

class StreamFile {
 public:
  enum class Access : std::uint8_t { Read, ReadWrite };

  /// Opens and maps the file and checks its head.
  static Result<StreamFile> open(const std::string& path, Access access);

  StreamFile(StreamFile&& other) noexcept;
  StreamFile& operator=(StreamFile&&) = delete;
  ~StreamFile();

  StreamHead& head() const { return *reinterpret_cast<StreamHead*>(head_); }
  /// Null: the file does not have that chunk.
  ChunkHead* chunk(ChunkRef ref) { return reinterpret_cast<ChunkHead*>(chunk_bytes(ref)); }
  static const unsigned char* records(const ChunkHead& chunk) {
    return reinterpret_cast<const unsigned char*>(&chunk) + kChunkHeadBytes;
  }
  /// Null: the file does not have that slot (yet).
  ThreadSlot* slot(std::uint32_t index);
  /// Null: the file does not have that group.
  const SiteGroup* group(std::uint32_t number);
  /// Whole lines only.
  std::string_view notes() const;

  /// Gives a chunk to the program, which may be waiting for one. Needs ReadWrite.
  void free_chunk(ChunkRef ref);
  /// Wakes threads that wait for chunks.
  void wake();

  bool writable() const { return access_ == Access::ReadWrite; }
  const std::string& path() const { return path_; }

 private:
  struct Piece {
    std::byte* data;
    std::size_t bytes;
  };

  StreamFile(std::string path, int descriptor, Access access);
  std::byte* chunk_bytes(ChunkRef ref);
  /// The chunk that a field of the head names.
  std::byte* table_chunk(ChunkRef& home) {
    return chunk_bytes(std::atomic_ref(home).load(std::memory_order_acquire));
  }
  /// Maps what the file has beyond what is mapped. An error number; 0: none.
  int map_more();
  std::byte* map(std::size_t offset, std::size_t bytes);

  std::string path_;
  int descriptor_;
  Access access_;
  std::byte* head_ = nullptr;
  std::vector<Piece> pieces_;
  std::vector<std::byte*> chunks_;  ///< by index
};

/// Whether the file begins as a stream does. No: also if it cannot be read.
bool is_stream(const std::string& path);

}  // namespace ravel::stream
