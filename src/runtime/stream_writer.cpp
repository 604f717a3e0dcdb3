#include "runtime/stream_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ravel::rt {

using stream::ChunkHead;
using stream::ChunkRef;
using stream::kChunkBytes;
using stream::kChunksAt;
using stream::kExtentChunks;
using stream::SiteGroup;
using stream::Stop;
using stream::StreamHead;
using stream::ThreadSlot;

namespace {

constexpr unsigned kPatience = 100;  ///< milliseconds between two looks whether the reader is still there

char* map_file(int file, std::uint64_t offset, std::uint64_t bytes) {
  const long at = system_call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file,
                              static_cast<long>(offset));
  return is_error(at) ? nullptr : reinterpret_cast<char*>(at);
}

}  // namespace

bool extend_file(int file, std::uint64_t from, std::uint64_t bytes) {
  // To go beyond this limit is a signal that ends the program.
  rlimit largest{};
  if (system_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, reinterpret_cast<long>(&largest)) == 0 &&
      from + bytes > largest.rlim_cur)
    return false;
  const long done = system_call(SYS_fallocate, file, 0, static_cast<long>(from), static_cast<long>(bytes));
  if (done == 0) return true;
  if (done != -EOPNOTSUPP && done != -ENOSYS) return false;
  // A file system that cannot: write every page.
  const char zero = 0;
  for (std::uint64_t at = from; at < from + bytes; at += kPageBytes)
    if (system_call(SYS_pwrite64, file, reinterpret_cast<long>(&zero), 1, static_cast<long>(at)) != 1)
      return false;
  return system_call(SYS_ftruncate, file, static_cast<long>(from + bytes)) == 0;
}

int move_high(int file) {
  const long high = system_call(SYS_fcntl, file, F_DUPFD_CLOEXEC, 1000);
  if (is_error(high)) return file;
  system_call(SYS_close, file);
  return static_cast<int>(high);
}

bool StreamWriter::create(const char* directory, const char* name, std::uint64_t max_bytes,
                          const Levels& levels) {
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    Text path(path_, sizeof path_);
    path.add(directory).add("/").add(name).add(".").number(process_id());
    if (attempt > 0) path.add("-").number(attempt);
    path.add(".rvl");
    if (system_call(SYS_faccessat, AT_FDCWD, reinterpret_cast<long>(path_), F_OK) != 0) break;
  }
  // Under another name until its head is complete: who finds the file can read it.
  char unfinished[sizeof path_ + 8];
  Text(unfinished, sizeof unfinished).add(path_).add(".part");
  const auto unfinished_at = reinterpret_cast<long>(unfinished);
  const long file =
      system_call(SYS_openat, AT_FDCWD, unfinished_at, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (is_error(file)) {
    complain("cannot record to ", path_, "; the program runs on without");
    return false;
  }
  file_ = move_high(static_cast<int>(file));
  if (!extend_file(file_, 0, kChunksAt)) {
    complain("no space to record to ", path_, "; the program runs on without");
    system_call(SYS_unlinkat, AT_FDCWD, unfinished_at, 0);
    system_call(SYS_close, file_);
    return false;
  }
  char* const start = map_file(file_, 0, kChunksAt);
  extents_ = static_cast<char**>(reserve_memory(kMaxExtents * sizeof(char*)));
  if (start == nullptr || extents_ == nullptr) {
    complain("cannot map ", path_, "; the program runs on without being recorded");
    return false;
  }
  head_ = reinterpret_cast<StreamHead*>(start);
  notes_ = start + stream::kHeadBytes;
  max_chunks_ = max_bytes > kChunksAt + kChunkBytes ? (max_bytes - kChunksAt) / kChunkBytes : 1;
  if (max_chunks_ > std::uint64_t{kMaxExtents} * kExtentChunks)
    max_chunks_ = std::uint64_t{kMaxExtents} * kExtentChunks;
  head_->version = stream::kVersion;
  head_->pid = process_id();
  head_->parent_pid = static_cast<std::uint32_t>(system_call(SYS_getppid));
  head_->filter = static_cast<std::uint8_t>(levels.filter);
  head_->access_order = static_cast<std::uint8_t>(levels.access_order);
  head_->values = static_cast<std::uint8_t>(levels.values);
  head_->start_time = clock_nanoseconds();
  head_->stamps.store(1, std::memory_order_relaxed);
  head_->magic = stream::kMagic;
  if (is_error(system_call(SYS_renameat, AT_FDCWD, unfinished_at, AT_FDCWD, reinterpret_cast<long>(path_)))) {
    complain("cannot record to ", path_, "; the program runs on without");
    return false;
  }
  return true;
}

void StreamWriter::abandon() {
  // The mappings stay: the child's copies of the parent's threads may point there, but nobody writes any
  // more.
  if (file_ >= 0) system_call(SYS_close, file_);
  file_ = -1;
  head_ = nullptr;
  table_chunks_ = 0;
  growing_ = {};
  noting_ = {};
}

ChunkRef StreamWriter::pop_free() {
  std::uint64_t top = head_->free_chunks.load(std::memory_order_acquire);
  while (static_cast<ChunkRef>(top) != 0) {
    const auto ref = static_cast<ChunkRef>(top);
    const ChunkRef next = at(ref)->next.load(std::memory_order_relaxed);
    const std::uint64_t rest = ((top >> 32) + 1) << 32 | next;
    if (head_->free_chunks.compare_exchange_weak(top, rest, std::memory_order_acq_rel)) return ref;
  }
  return 0;
}

/// One more extent. Called under growing_.
bool StreamWriter::grow() {
  const std::uint32_t have = head_->chunks.load(std::memory_order_relaxed);
  if (have >= max_chunks_) {
    stop(Stop::SizeCap);
    return false;
  }
  // Extents start at multiples of kExtentChunks; the first one grows in small steps, for small programs.
  const std::uint32_t extent = have / kExtentChunks;
  std::uint32_t count = have < kExtentChunks ? 16 : kExtentChunks;
  const std::uint64_t left = max_chunks_ - have;
  if (count > left) count = static_cast<std::uint32_t>(left);
  if (extents_[extent] == nullptr) {
    // Mapped whole, though the file may not reach so far yet: nobody touches what is not there.
    extents_[extent] = map_file(file_, kChunksAt + std::uint64_t{extent} * kExtentChunks * kChunkBytes,
                                std::uint64_t{kExtentChunks} * kChunkBytes);
  }
  if (extents_[extent] == nullptr || !extend_file(file_, kChunksAt + std::uint64_t{have} * kChunkBytes,
                                                  std::uint64_t{count} * kChunkBytes)) {
    stop(Stop::NoSpace);
    return false;
  }
  head_->chunks.store(have + count, std::memory_order_release);
  return true;
}

bool StreamWriter::must_wait() const {
  if (head_->pressure.load(std::memory_order_relaxed) == 0) return false;
  // Each thread keeps a chunk that is not full, and the reader cannot free it; nor those of tables.
  const std::uint32_t kept =
      head_->thread_count.load(std::memory_order_relaxed) + __atomic_load_n(&table_chunks_, __ATOMIC_RELAXED);
  if (head_->chunks_used.load(std::memory_order_relaxed) <
      head_->chunk_limit.load(std::memory_order_relaxed) + kept)
    return false;
  const std::uint32_t reader = head_->reader.load(std::memory_order_relaxed);
  return reader != 0 && system_call(SYS_kill, reader, 0) != -ESRCH;
}

ChunkHead* StreamWriter::take_chunk(ChunkRef& ref) {
  while (!stopped()) {
    const std::uint32_t freed = head_->freed.load(std::memory_order_acquire);
    ref = pop_free();
    if (ref == 0 && must_wait()) {
      wait_on(&head_->freed, freed, kPatience);
      continue;
    }
    if (ref == 0) {
      const Locked lock(growing_);
      const std::uint32_t used = head_->chunks_used.load(std::memory_order_relaxed);
      if (used == head_->chunks.load(std::memory_order_relaxed) && !grow()) return nullptr;
      head_->chunks_used.store(used + 1, std::memory_order_release);
      ref = used + 1;
    }
    ChunkHead* const chunk = at(ref);
    chunk->used.store(0, std::memory_order_relaxed);
    chunk->next.store(0, std::memory_order_relaxed);
    return chunk;
  }
  return nullptr;
}

void StreamWriter::leave_chunk(ChunkHead* chunk) const {
  constexpr std::uint32_t kMapped = 128;  // 8 MiB: a reader that keeps up never gets that far behind
  if (head_->chunks_used.load(std::memory_order_relaxed) > kMapped)
    system_call(SYS_madvise, reinterpret_cast<long>(chunk), kChunkBytes, MADV_DONTNEED);
}

bool StreamWriter::take_table_chunk(ChunkRef& home) {
  if (home != 0) return true;
  ChunkRef ref = 0;
  if (take_chunk(ref) == nullptr) return false;
  // It may have held records before.
  auto* const words = reinterpret_cast<std::uint64_t*>(at(ref));
  for (std::size_t i = 0; i < kChunkBytes / sizeof *words; ++i) words[i] = 0;
  __atomic_store_n(&home, ref, __ATOMIC_RELEASE);
  __atomic_fetch_add(&table_chunks_, 1, __ATOMIC_RELAXED);
  return true;
}

ThreadSlot* StreamWriter::take_slot(std::uint32_t parent, std::uint32_t child, bool foreign,
                                    std::uint32_t& index) {
  const Locked lock(noting_);
  index = head_->thread_count.load(std::memory_order_relaxed);
  if (index >= stream::kMaxThreads) {
    stop(Stop::TooManyThreads);
    return nullptr;
  }
  if (!take_table_chunk(head_->slot_chunks[index / stream::kSlotsPerChunk])) return nullptr;
  ThreadSlot* const fresh = slot(index);
  fresh->parent = parent;
  fresh->index = child;
  fresh->foreign = foreign ? 1 : 0;
  head_->thread_count.store(index + 1, std::memory_order_release);
  return fresh;
}

ThreadSlot* StreamWriter::slot(std::uint32_t index) const {
  const ChunkRef home = head_->slot_chunks[index / stream::kSlotsPerChunk];
  return reinterpret_cast<ThreadSlot*>(at(home)) + index % stream::kSlotsPerChunk;
}

SiteGroup* StreamWriter::take_group(std::uint32_t number) {
  return take_table_chunk(head_->group_chunks[number / stream::kGroupsPerChunk]) ? group(number) : nullptr;
}

void StreamWriter::note(const char* line, std::size_t length) {
  const Locked lock(noting_);
  const std::uint32_t used = head_->notes_used.load(std::memory_order_relaxed);
  if (used + length + 1 > stream::kNotesBytes) return;
  for (std::size_t i = 0; i < length; ++i) notes_[used + i] = line[i];
  notes_[used + length] = '\n';
  head_->notes_used.store(static_cast<std::uint32_t>(used + length + 1), std::memory_order_release);
}

void StreamWriter::stop(Stop why) {
  if (why == Stop::SizeCap || why == Stop::NoSpace || why == Stop::TooManyThreads) {
    // Whoever drops a record does so after this, and would have got a later stamp.
    std::uint64_t none = 0;
    head_->end_stamp.compare_exchange_strong(none, head_->stamps.load());
  }
  auto expected = static_cast<std::uint32_t>(Stop::No);
  if (!head_->stop.compare_exchange_strong(expected, static_cast<std::uint32_t>(why))) return;
  switch (why) {
    case Stop::SizeCap:
      complain("the recording has reached its largest size and ends here: ", path_);
      break;
    case Stop::NoSpace:
      complain("no space left, the recording ends here: ", path_);
      break;
    case Stop::TooManyThreads:
      complain("too many threads, the recording ends here: ", path_);
      break;
    case Stop::No:
    case Stop::Exit:
    case Stop::Exec:
      break;
  }
}

}  // namespace ravel::rt
