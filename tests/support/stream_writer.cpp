#include "support/stream_writer.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "event/check.h"

namespace ravel::test {

using namespace stream;

namespace {

constexpr std::size_t kReserved = std::size_t{1} << 32;

Record make_record(std::uint8_t kind, MemoryOrder order, unsigned width_code, bool extra, bool has_value,
                   std::uint32_t ordinal, std::uint32_t place, std::uint64_t body) {
  Record record;
  record.head = kind | std::uint64_t{static_cast<unsigned>(order)} << Record::kOrderAt |
                std::uint64_t{width_code} << Record::kWidthAt | std::uint64_t{extra} << Record::kExtraAt |
                std::uint64_t{has_value} << Record::kValueAt | std::uint64_t{ordinal} << Record::kOrdinalAt |
                std::uint64_t{place} << Record::kPlaceAt;
  record.body = body;
  return record;
}

}  // namespace

StreamWriter::StreamWriter(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {
  CHECK(descriptor_ >= 0, path);
  CHECK(::ftruncate(descriptor_, kChunksAt) == 0);
  // Beyond the end of the file, too: the rest becomes usable as the file grows.
  void* const data = ::mmap(nullptr, kReserved, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  CHECK(data != MAP_FAILED);
  data_ = static_cast<std::byte*>(data);
  head().version = kVersion;
  head().pid = static_cast<std::uint32_t>(::getpid());
  head().stamps.store(1);
  head().values = static_cast<std::uint8_t>(ValueLevel::None);
  head().magic = kMagic;
}

StreamWriter::~StreamWriter() {
  ::munmap(data_, kReserved);
  ::close(descriptor_);
}

ChunkHead& StreamWriter::chunk(ChunkRef ref) {
  return *reinterpret_cast<ChunkHead*>(data_ + kChunksAt + std::size_t{ref - 1} * kChunkBytes);
}

ThreadSlot& StreamWriter::slot(std::uint32_t index) {
  const ChunkRef ref = head().slot_chunks[index / kSlotsPerChunk];
  CHECK(ref != 0);
  return reinterpret_cast<ThreadSlot*>(&chunk(ref))[index % kSlotsPerChunk];
}

ChunkRef StreamWriter::take_chunk() {
  while (true) {
    const std::uint32_t seen = head().freed.load();
    std::uint64_t top = head().free_chunks.load();
    while (static_cast<ChunkRef>(top) != 0) {
      const auto ref = static_cast<ChunkRef>(top);
      const std::uint64_t rest = ((top >> 32) + 1) << 32 | chunk(ref).next.load();
      if (head().free_chunks.compare_exchange_weak(top, rest)) return ref;
    }
    const std::scoped_lock lock(mutex_);
    if (head().pressure.load() == 0 || head().chunks_used.load() < head().chunk_limit.load()) {
      if (head().chunks_used.load() == head().chunks.load()) {
        const std::uint32_t chunks = head().chunks.load() + kExtentChunks;
        CHECK(::ftruncate(descriptor_, static_cast<off_t>(kChunksAt + chunks * kChunkBytes)) == 0);
        head().chunks.store(chunks);
      }
      return head().chunks_used.fetch_add(1) + 1;
    }
    ::syscall(SYS_futex, &head().freed, FUTEX_WAIT, seen, nullptr, nullptr, 0);
  }
}

StreamThreadWriter& StreamWriter::add_thread(std::string_view name) {
  const std::uint32_t index = head().thread_count.load();
  if (index % kSlotsPerChunk == 0) head().slot_chunks[index / kSlotsPerChunk] = take_chunk();
  ThreadSlot& added = slot(index);
  name.copy(added.name, sizeof added.name);
  head().thread_count.store(index + 1);
  return threads_.emplace_back(*this, index);
}

void StreamWriter::note(std::string_view line) {
  const std::uint32_t used = head().notes_used.load();
  char* const at = reinterpret_cast<char*>(data_) + kHeadBytes + used;
  line.copy(at, line.size());
  at[line.size()] = '\n';
  head().notes_used.store(used + static_cast<std::uint32_t>(line.size()) + 1);
}

std::uint32_t StreamWriter::add_site(std::uint32_t code, std::uint32_t caller) {
  ChunkRef& home = head().group_chunks[groups_ / kGroupsPerChunk];
  if (home == 0) home = take_chunk();
  reinterpret_cast<SiteGroup*>(&chunk(home))[groups_ % kGroupsPerChunk] = {code / kGroupSites, caller};
  return groups_++ * kGroupSites + code % kGroupSites;
}

void StreamThreadWriter::make_room(std::size_t bytes) {
  if (chunk_ != nullptr && chunk_->used.load() + bytes <= kChunkRecordBytes) return;
  const ChunkRef ref = writer_.take_chunk();
  ChunkHead& chunk = writer_.chunk(ref);
  chunk.next.store(0);
  chunk.used.store(0);
  chunk.thread = index_;
  chunk.number = chunk_ == nullptr ? 0 : chunk_->number + 1;
  (chunk_ == nullptr ? writer_.slot(index_).first : chunk_->next).store(ref);
  chunk_ = &chunk;
}

void StreamThreadWriter::raw(const Record& record, const RecordExtra* extra) {
  const std::size_t bytes = sizeof record + (extra != nullptr ? sizeof *extra : 0);
  make_room(bytes);
  const std::uint32_t used = chunk_->used.load();
  std::byte* const at = reinterpret_cast<std::byte*>(chunk_) + kChunkHeadBytes + used;
  std::memcpy(at, &record, sizeof record);
  if (extra != nullptr) std::memcpy(at + sizeof record, extra, sizeof *extra);
  chunk_->used.store(used + static_cast<std::uint32_t>(bytes));
}

void StreamThreadWriter::put(const StreamRecord& record, bool stamped) {
  const bool wide = record.width > 8 && record.width != 16;
  const unsigned code = wide                 ? Record::kWidthInExtra
                        : record.width == 16 ? Record::kWidthSixteen
                                             : static_cast<unsigned>(record.width);
  const bool long_record = stamped || wide || record.has_value;
  const Record made = make_record(static_cast<std::uint8_t>(record.kind), record.order, code, long_record,
                                  record.has_value, record.ordinal, record.place, record.body);
  RecordExtra extra{.stamp = 0, .value = wide ? record.width : record.value};
  if (!stamped) return raw(made, long_record ? &extra : nullptr);
  // Room first: a thread must not wait for a chunk while others wait for its stamp.
  make_room(sizeof(Record) + sizeof(RecordExtra));
  ThreadSlot& slot = writer_.slot(index_);
  slot.stamping.store(1);
  extra.stamp = writer_.head().stamps.fetch_add(1);
  raw(made, &extra);
  slot.stamping.store(0);
}

void StreamThreadWriter::control(Control control, std::uint64_t body) {
  raw(make_record(static_cast<std::uint8_t>(control), MemoryOrder::None, 0, false, false, 0, 0, body));
}

void StreamThreadWriter::retro(EventKind kind, std::uint64_t address, std::uint32_t width,
                               std::uint32_t place, std::uint32_t thread, std::uint64_t time,
                               bool one_of_several) {
  const RecordExtra extra{.stamp = 0, .value = std::uint64_t{thread} << kRetroThreadAt | time};
  raw(make_record(static_cast<std::uint8_t>(kind), MemoryOrder::None, width, true, one_of_several, 0, place,
                  address),
      &extra);
}

void StreamThreadWriter::end() { writer_.slot(index_).ended.store(1); }

}  // namespace ravel::test
