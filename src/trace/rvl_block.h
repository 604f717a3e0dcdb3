// The blocks a `.rvl` trace is made of (docs/trace-format.md). A block can be checked and decoded by itself,
// so the same layout serves a file, a pipe and a recorder's shared memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "event/result.h"
#include "trace/bytes.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace ravel::rvl {

inline constexpr std::string_view kFileMagic = "\x89RVL\r\n\x1a\n";  ///< notices a text-mode transfer
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kFileHeadBytes = 16;  ///< magic, version, four bytes of zero

inline constexpr std::uint32_t kBlockMagic = 0x424c5652;  ///< "RVLB"
inline constexpr std::size_t kBlockHeadBytes = 48;
inline constexpr std::uint32_t kMaxRawBytes = 16U << 20;
inline constexpr std::uint32_t kMaxBlockEvents = 1U << 16;
/// Of a block whose content stays in memory (header, names): a small file must not grow to gigabytes there.
inline constexpr std::uint32_t kMaxRatio = 64;
/// In BlockHead::thread: events of many threads, in the order of the trace.
inline constexpr std::uint32_t kManyThreads = 0xffff'ffff;

enum class BlockType : std::uint8_t { Header = 1, Names = 2, Events = 3, End = 4 };

struct BlockHead {
  BlockType type = BlockType::End;
  bool compressed = false;
  std::uint32_t thread = kManyThreads;
  std::uint32_t events = 0;
  std::uint32_t raw_size = 0;
  std::uint32_t stored_size = 0;
  std::uint64_t first_position =
      0;                       ///< of its first event, 1-based; of the end block: the number of all events
  std::uint64_t checksum = 0;  ///< of the stored payload
};

/// Which sentence of the format's contract a block breaks; empty: none.
std::string_view check_limits(const BlockHead& head);

void store_head(const BlockHead& head, unsigned char* to);

/// Reads kBlockHeadBytes. The head has a checksum of its own: a damaged size must not pass for a cut-off
/// file.
std::expected<BlockHead, std::string> load_head(const unsigned char* from);

void append_file_head(Bytes& out);
/// Checks kFileHeadBytes; an error is a sentence for the user.
std::expected<void, std::string> check_file_head(const unsigned char* from);

/// Makes blocks of payloads. Owns the compressor's memory; one thread.
class BlockSealer {
 public:
  BlockSealer();
  ~BlockSealer();
  BlockSealer(BlockSealer&&) = default;

  /// Appends the block to `out`. The sizes and the checksum of `head` are filled in here.
  void seal(BlockHead head, ByteSpan payload, Bytes& out);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_, events_context_;
};

/// Gives payloads back. Owns the decompressor's memory; one thread.
class BlockOpener {
 public:
  BlockOpener();
  ~BlockOpener();
  BlockOpener(BlockOpener&&) = default;

  /// Checks the stored payload and unpacks it to `raw`, followed by `slack` bytes that may be read but mean
  /// nothing.
  std::expected<void, std::string> open(const BlockHead& head, ByteSpan stored, Bytes& raw,
                                        std::size_t slack);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace ravel::rvl
