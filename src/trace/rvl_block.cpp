#include "trace/rvl_block.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>

#include "event/check.h"

namespace ravel::rvl {
namespace {

constexpr int kCompressionLevel = 1;

/// How events are compressed: while a program is recorded, this time is taken from the program. Against level
/// 1 a table that leaves space in the processor's first cache, longer matches, larger steps between them and
/// no entropy coding of what matches nothing: a third less time for blocks that are a fifth larger
/// (bench/stream.cpp).
constexpr int kEventHashLog = 10, kEventMinMatch = 6, kEventTargetLength = 2;

// Offsets in a block's head.
constexpr std::size_t kMagicAt = 0, kTypeAt = 4, kFlagsAt = 5, kZeroAt = 6, kThreadAt = 8, kEventsAt = 12,
                      kRawSizeAt = 16, kStoredSizeAt = 20, kFirstPositionAt = 24, kChecksumAt = 32,
                      kHeadChecksumAt = 40;
static_assert(kHeadChecksumAt + 8 == kBlockHeadBytes);

constexpr unsigned char kCompressedFlag = 1;

void set(ZSTD_CCtx_s* context, ZSTD_cParameter parameter, int value) {
  CHECK(!ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)));
}

}  // namespace

std::string_view check_limits(const BlockHead& head) {
  if (head.raw_size > kMaxRawBytes) return "it is larger than a block may be";
  if (head.compressed ? head.stored_size >= head.raw_size : head.stored_size != head.raw_size) {
    return "its two sizes do not fit together";
  }
  const bool has_events = head.type == BlockType::Events;
  if (has_events ? head.events == 0 || head.events > kMaxBlockEvents : head.events != 0) {
    return "its event count is out of range";
  }
  if (!has_events && head.thread != kManyThreads) return "only events belong to a thread";
  if (head.type == BlockType::End && head.raw_size != 0) return "an end block has no payload";
  if ((head.type == BlockType::Header || head.type == BlockType::Names) &&
      head.raw_size / kMaxRatio > head.stored_size) {
    return "it is compressed more than a block of its type may be";
  }
  return {};
}

void store_head(const BlockHead& head, unsigned char* to) {
  store_little(to + kMagicAt, kBlockMagic);
  to[kTypeAt] = static_cast<unsigned char>(head.type);
  to[kFlagsAt] = head.compressed ? kCompressedFlag : 0;
  store_little(to + kZeroAt, std::uint16_t{0});
  store_little(to + kThreadAt, head.thread);
  store_little(to + kEventsAt, head.events);
  store_little(to + kRawSizeAt, head.raw_size);
  store_little(to + kStoredSizeAt, head.stored_size);
  store_little(to + kFirstPositionAt, head.first_position);
  store_little(to + kChecksumAt, head.checksum);
  store_little(to + kHeadChecksumAt, std::uint64_t{XXH3_64bits(to, kHeadChecksumAt)});
}

std::expected<BlockHead, std::string> load_head(const unsigned char* from) {
  if (load_little<std::uint32_t>(from + kMagicAt) != kBlockMagic) {
    return std::unexpected("there is no block where one should begin");
  }
  if (load_little<std::uint64_t>(from + kHeadChecksumAt) != XXH3_64bits(from, kHeadChecksumAt)) {
    return std::unexpected("its head is damaged (wrong checksum)");
  }
  const unsigned char type = from[kTypeAt];
  const unsigned char flags = from[kFlagsAt];
  if (type < static_cast<unsigned char>(BlockType::Header) ||
      type > static_cast<unsigned char>(BlockType::End)) {
    return std::unexpected(fmt::format("its type {} is unknown", type));
  }
  if (flags > kCompressedFlag || load_little<std::uint16_t>(from + kZeroAt) != 0) {
    return std::unexpected("it has unknown flags");
  }
  BlockHead head;
  head.type = static_cast<BlockType>(type);
  head.compressed = flags == kCompressedFlag;
  head.thread = load_little<std::uint32_t>(from + kThreadAt);
  head.events = load_little<std::uint32_t>(from + kEventsAt);
  head.raw_size = load_little<std::uint32_t>(from + kRawSizeAt);
  head.stored_size = load_little<std::uint32_t>(from + kStoredSizeAt);
  head.first_position = load_little<std::uint64_t>(from + kFirstPositionAt);
  head.checksum = load_little<std::uint64_t>(from + kChecksumAt);
  if (const std::string_view broken = check_limits(head); !broken.empty())
    return std::unexpected(std::string(broken));
  return head;
}

void append_file_head(Bytes& out) {
  out.insert(out.end(), kFileMagic.begin(), kFileMagic.end());
  append_little(out, kVersion);
  append_little(out, std::uint32_t{0});
}

std::expected<void, std::string> check_file_head(const unsigned char* from) {
  if (!std::equal(kFileMagic.begin(), kFileMagic.end(), from,
                  [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; })) {
    return std::unexpected("not a .rvl trace");
  }
  const auto version = load_little<std::uint32_t>(from + kFileMagic.size());
  if (version > kVersion) {
    return std::unexpected(
        fmt::format("format version {} is newer than this ravel, which reads version {}", version, kVersion));
  }
  if (version != kVersion) return std::unexpected(fmt::format("format version {} does not exist", version));
  if (load_little<std::uint32_t>(from + kFileMagic.size() + 4) != 0) {
    return std::unexpected("the file's first bytes are damaged");
  }
  return {};
}

BlockSealer::BlockSealer() : context_(ZSTD_createCCtx()), events_context_(ZSTD_createCCtx()) {
  CHECK(context_ != nullptr && events_context_ != nullptr);
  for (ZSTD_CCtx_s* const context : {context_.get(), events_context_.get()})
    set(context, ZSTD_c_compressionLevel, kCompressionLevel);
  set(events_context_.get(), ZSTD_c_hashLog, kEventHashLog);
  set(events_context_.get(), ZSTD_c_minMatch, kEventMinMatch);
  set(events_context_.get(), ZSTD_c_targetLength, kEventTargetLength);
}
BlockSealer::~BlockSealer() = default;
void BlockSealer::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

void BlockSealer::seal(BlockHead head, ByteSpan payload, Bytes& out) {
  const std::size_t begin = out.size();
  const std::size_t bound = ZSTD_compressBound(payload.size());
  out.resize(begin + kBlockHeadBytes + bound);
  unsigned char* const stored = out.data() + begin + kBlockHeadBytes;

  head.raw_size = head.stored_size = static_cast<std::uint32_t>(payload.size());
  head.compressed = false;
  ZSTD_CCtx_s* const context = (head.type == BlockType::Events ? events_context_ : context_).get();
  const std::size_t packed =
      payload.empty() ? 0 : ZSTD_compress2(context, stored, bound, payload.data(), payload.size());
  CHECK(!ZSTD_isError(packed), "the buffer has the size zstd asks for");
  if (packed < payload.size()) {
    head.compressed = true;
    head.stored_size = static_cast<std::uint32_t>(packed);
  }
  if (!head.compressed || !check_limits(head).empty()) {  // too good a ratio for its type
    head.compressed = false;
    head.stored_size = head.raw_size;
    std::ranges::copy(payload, stored);
  }
  CHECK(check_limits(head).empty(), check_limits(head));
  head.checksum = XXH3_64bits(stored, head.stored_size);
  store_head(head, out.data() + begin);
  out.resize(begin + kBlockHeadBytes + head.stored_size);
}

BlockOpener::BlockOpener() : context_(ZSTD_createDCtx()) { CHECK(context_ != nullptr); }
BlockOpener::~BlockOpener() = default;
void BlockOpener::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

std::expected<void, std::string> BlockOpener::open(const BlockHead& head, ByteSpan stored, Bytes& raw,
                                                   std::size_t slack) {
  CHECK(stored.size() == head.stored_size);
  if (XXH3_64bits(stored.data(), stored.size()) != head.checksum) {
    return std::unexpected("its content is damaged (wrong checksum)");
  }
  raw.resize(head.raw_size + slack);
  if (!head.compressed) {
    std::ranges::copy(stored, raw.begin());
    return {};
  }
  const std::size_t unpacked =
      ZSTD_decompressDCtx(context_.get(), raw.data(), head.raw_size, stored.data(), stored.size());
  if (ZSTD_isError(unpacked)) {
    return std::unexpected(
        fmt::format("its content cannot be decompressed: {}", ZSTD_getErrorName(unpacked)));
  }
  if (unpacked != head.raw_size) return std::unexpected("its content has another size than its head says");
  return {};
}

}  // namespace ravel::rvl
