#include "trace/stream_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "event/check.h"
#include "trace/header.h"

namespace ravel::stream {
namespace {

/// The first sentence of event/stream.h that the head breaks; empty: none.
std::string wrong_head(const StreamHead& head) {
  if (head.magic != kMagic) return "not a recording of a program";
  if (head.version != kVersion) {
    return fmt::format("the recording has version {}, but this ravel reads version {}", head.version,
                       kVersion);
  }
  if (head.filter > static_cast<std::uint8_t>(FilterLevel::Owner) ||
      head.access_order > static_cast<std::uint8_t>(AccessOrder::Hook) ||
      head.values > static_cast<std::uint8_t>(ValueLevel::None)) {
    return "the head of the recording is damaged";
  }
  return {};
}

}  // namespace

bool is_stream(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  std::uint64_t magic = 0;
  const bool read = ::pread(descriptor, &magic, sizeof magic, 0) == sizeof magic;
  ::close(descriptor);
  return read && magic == kMagic;
}

StreamFile::StreamFile(std::string path, int descriptor, Access access)
    : path_(std::move(path)), descriptor_(descriptor), access_(access) {}

StreamFile::StreamFile(StreamFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      access_(other.access_),
      head_(std::exchange(other.head_, nullptr)),
      pieces_(std::exchange(other.pieces_, {})),
      chunks_(std::exchange(other.chunks_, {})) {}

StreamFile::~StreamFile() {
  for (const Piece& piece : pieces_) ::munmap(piece.data, piece.bytes);
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::byte* StreamFile::map(std::size_t offset, std::size_t bytes) {
  const int protection = access_ == Access::Read ? PROT_READ : PROT_READ | PROT_WRITE;
  void* const data = ::mmap(nullptr, bytes, protection, MAP_SHARED, descriptor_, static_cast<off_t>(offset));
  if (data == MAP_FAILED) return nullptr;
  pieces_.push_back({static_cast<std::byte*>(data), bytes});
  return pieces_.back().data;
}

Result<StreamFile> StreamFile::open(const std::string& path, Access access) {
  const int flags = access == Access::Read ? O_RDONLY : O_RDWR;
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) return fail(fmt::format("cannot read: {}", std::strerror(errno)), path);
  StreamFile file(path, descriptor, access);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0)
    return fail(fmt::format("cannot read: {}", std::strerror(errno)), path);
  if (static_cast<std::size_t>(status.st_size) < kChunksAt)
    return fail("the file is too short for a recording of a program", path);
  file.head_ = file.map(0, kChunksAt);
  if (file.head_ == nullptr) return fail(fmt::format("cannot read: {}", std::strerror(errno)), path);
  if (const std::string wrong = wrong_head(file.head()); !wrong.empty()) return fail(wrong, path);
  if (const int error = file.map_more(); error != 0)
    return fail(fmt::format("cannot read: {}", std::strerror(error)), path);
  return file;
}

int StreamFile::map_more() {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) return errno;
  const std::size_t mapped = kChunksAt + chunks_.size() * kChunkBytes;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size < mapped + kChunkBytes) return 0;
  const std::size_t more = (size - mapped) / kChunkBytes;
  std::byte* const data = map(mapped, more * kChunkBytes);
  if (data == nullptr) return errno;
  for (std::size_t i = 0; i < more; ++i) chunks_.push_back(data + i * kChunkBytes);
  return 0;
}

std::byte* StreamFile::chunk_bytes(ChunkRef ref) {
  if (ref == 0) return nullptr;
  if (ref > chunks_.size()) map_more();
  return ref <= chunks_.size() ? chunks_[ref - 1] : nullptr;
}

ThreadSlot* StreamFile::slot(std::uint32_t index) {
  if (index >= kMaxThreads) return nullptr;
  std::byte* const chunk = table_chunk(head().slot_chunks[index / kSlotsPerChunk]);
  if (chunk == nullptr) return nullptr;
  return reinterpret_cast<ThreadSlot*>(chunk) + index % kSlotsPerChunk;
}

const SiteGroup* StreamFile::group(std::uint32_t number) {
  if (number == 0 || number >= kMaxGroups) return nullptr;
  const std::byte* const chunk = table_chunk(head().group_chunks[number / kGroupsPerChunk]);
  if (chunk == nullptr) return nullptr;
  return reinterpret_cast<const SiteGroup*>(chunk) + number % kGroupsPerChunk;
}

std::string_view StreamFile::notes() const {
  const std::size_t used = head().notes_used.load(std::memory_order_acquire);
  return {reinterpret_cast<const char*>(head_) + kHeadBytes, std::min(used, kNotesBytes)};
}

void StreamFile::free_chunk(ChunkRef ref) {
  CHECK(writable(), "only an attached reader gives chunks back");
  ChunkHead* const freed = chunk(ref);
  std::uint64_t top = head().free_chunks.load(std::memory_order_relaxed);
  std::uint64_t with_ref = 0;
  do {
    freed->next.store(static_cast<ChunkRef>(top), std::memory_order_relaxed);
    with_ref = ((top >> 32) + 1) << 32 | ref;
  } while (!head().free_chunks.compare_exchange_weak(top, with_ref, std::memory_order_acq_rel,
                                                     std::memory_order_relaxed));
  wake();
}

void StreamFile::wake() {
  head().freed.fetch_add(1, std::memory_order_release);
  ::syscall(SYS_futex, &head().freed, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace ravel::stream
