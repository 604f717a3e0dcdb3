#include "runtime/recorder.h"

#include "runtime/signal.h"

namespace ravel::rt {

using stream::ChunkHead;
using stream::ChunkRef;
using stream::Control;
using stream::Record;
using stream::RecordExtra;

constinit Recorder recorder;

namespace {

/// Nothing more is recorded, by anybody.
void switch_off() {
  __atomic_store_n(&recorder.recording, false, __ATOMIC_RELAXED);
  hot_thread = nullptr;
}

RAVEL_NOINLINE bool next_chunk(Thread& self) {
  ChunkRef ref = 0;
  ChunkHead* const chunk = recorder.stream.take_chunk(ref);
  if (chunk == nullptr) {
    self.limit = self.cursor;  // nothing small may follow the record that did not fit
    switch_off();
    return false;
  }
  chunk->thread = self.index;
  chunk->number = self.chunk == nullptr ? 0 : self.chunk->number + 1;
  if (self.chunk == nullptr) {
    self.slot->first.store(ref, std::memory_order_release);
  } else {
    self.chunk->next.store(ref, std::memory_order_release);
    recorder.stream.leave_chunk(self.chunk);
  }
  self.chunk = chunk;
  self.cursor = self.accesses = reinterpret_cast<char*>(chunk) + stream::kChunkHeadBytes;
  self.limit = reinterpret_cast<char*>(chunk) + stream::kChunkBytes;
  return true;
}

/// Tells the stream what it has to know before the thread's next record.
RAVEL_NOINLINE void tell(Thread& self);

/// Space for records that belong together; null: recording has stopped. That is asked each time: interceptors
/// ask it, too, and an access after a synchronization that they have left out would look unordered.
RAVEL_INLINE Record* reserve(Thread& self, std::size_t count) {
  settle(self);
  if (self.untold) [[unlikely]]
    tell(self);
  if (!__atomic_load_n(&recorder.recording, __ATOMIC_RELAXED)) [[unlikely]] {
    hot_thread = nullptr;
    return nullptr;
  }
  if (self.cursor + count * sizeof(Record) > self.limit) [[unlikely]]
    if (!next_chunk(self)) return nullptr;
  return reinterpret_cast<Record*>(self.cursor);
}

/// An access that goes on where one of the thread's last records has ended becomes part of it. The reader
/// does not look into records that no stamp follows; and reads only change places with reads, writes with
/// writes.
RAVEL_INLINE bool extend_access(Thread& self, EventKind kind, std::uintptr_t address, std::uint64_t bytes,
                                std::uint32_t place) {
  constexpr int kLooks = 4;
  auto* record = reinterpret_cast<Record*>(self.cursor);
  for (int i = 0; i<kLooks&& reinterpret_cast<char*>(record)> self.accesses; ++i) {
    --record;
    if (record->kind() != static_cast<std::uint8_t>(kind)) return false;
    const std::uint64_t width = record->width_code();
    const std::uint64_t offset = address - record->body;
    if (record->place() != place || offset > width || (record->body & 7) + offset + bytes > 8) continue;
    if (offset + bytes > width) record->head += (offset + bytes - width) << Record::kWidthAt;
    return true;
  }
  return false;
}

/// All records up to the cursor are complete.
RAVEL_INLINE void publish(Thread& self) {
  const auto used = self.cursor - reinterpret_cast<char*>(self.chunk) - stream::kChunkHeadBytes;
  self.chunk->used.store(static_cast<std::uint32_t>(used), std::memory_order_release);
}

/// The reader has had the chunk before. Its lines are fetched in time: locked instructions, such as that of
/// an unlock, wait for all that was written.
RAVEL_INLINE void fetch_ahead(Thread& self) {
  constexpr std::size_t kAhead = 512;
  asm volatile("prefetchw %0" ::"m"(self.cursor[kAhead]));
}

RAVEL_INLINE void commit(Thread& self, std::size_t count) {
  self.cursor += count * sizeof(Record);
  fetch_ahead(self);
  self.accesses = self.cursor;
  self.unstamped = true;
  publish(self);
}

/// The same for records with a stamp.
RAVEL_INLINE void commit_stamped(Thread& self, std::size_t count) {
  commit(self, count);
  self.unstamped = false;
}

/// What is in memory, as a number.
std::uint64_t value_at(std::uintptr_t address, std::uint64_t bytes) {
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i < bytes; ++i)
    value |= std::uint64_t{*reinterpret_cast<const volatile unsigned char*>(address + i)} << (8 * i);
  return value;
}

constexpr std::uint64_t kHasValue = std::uint64_t{1} << Record::kValueAt;

void record_control(Thread& self, Control control, std::uint64_t body) {
  Record* const to = reserve(self, 1);
  if (to == nullptr) return;
  *to = {static_cast<std::uint64_t>(control), body};
  commit(self, 1);
}

/// Tells the stream about the calls and returns since the last event.
RAVEL_INLINE void record_calls(Thread& self) {
  const std::uint32_t depth = self.depth < Thread::kMaxCalls ? self.depth : Thread::kMaxCalls;
  if (depth == self.calls_known && (depth == 0 || self.calls[depth - 1].known)) return;
  std::uint32_t known = depth;
  while (known > 0 && !self.calls[known - 1].known) --known;
  if (self.calls_known > known) record_control(self, Control::Return, self.calls_known - known);
  for (std::uint32_t i = known; i < depth; ++i) {
    record_control(self, Control::Call, code_of(self.calls[i].call));
    self.calls[i].known = true;
  }
  self.calls_known = depth;
}

/// The thread's ordinal, as far as a record has room for it.
RAVEL_INLINE std::uint32_t ordinal(Thread& self) {
  std::uint32_t ordinal = self.ordinal - self.ordinal_base;
  if (ordinal > Record::kOrdinalMax) [[unlikely]] {
    record_control(self, Control::Ordinal, self.ordinal);
    self.ordinal_base = self.ordinal;
    ordinal = 0;
  }
  return ordinal;
}

constexpr std::uint64_t width_code(std::uint64_t bytes) {
  if (bytes <= 8) return bytes;
  return bytes == 16 ? Record::kWidthSixteen : Record::kWidthInExtra;
}

constexpr std::uint64_t record_head(EventKind kind, MemoryOrder order, std::uint64_t bytes, bool extra,
                                    std::uint32_t ordinal, std::uint32_t place) {
  return static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(order) << Record::kOrderAt |
         width_code(bytes) << Record::kWidthAt | static_cast<std::uint64_t>(extra) << Record::kExtraAt |
         static_cast<std::uint64_t>(ordinal) << Record::kOrdinalAt |
         static_cast<std::uint64_t>(place) << Record::kPlaceAt;
}

/// Says that a stamp is being taken until the records that carry it are complete. Space for them is reserved
/// first: waiting for it with a stamp taken would hold everybody up.
class Stamping {
 public:
  explicit Stamping(Thread& self) : self_(self) {
    self.slot->stamping.store(1, std::memory_order_relaxed);
    stamp_ = recorder.stream.head().stamps.fetch_add(1, std::memory_order_seq_cst);
  }
  ~Stamping() { self_.slot->stamping.store(0, std::memory_order_release); }
  Stamping(const Stamping&) = delete;
  Stamping& operator=(const Stamping&) = delete;

  std::uint64_t stamp() const { return stamp_; }

 private:
  Thread& self_;
  std::uint64_t stamp_;
};

void record_stamped(Thread& self, std::uint64_t head, std::uint64_t target, std::uint64_t value) {
  Record* const to = reserve(self, 2);
  if (to == nullptr) return;
  const Stamping now(self);
  to[0] = {head, target};
  to[1] = {now.stamp(), value};
  commit_stamped(self, 2);
}

void tell(Thread& self) {
  self.untold = false;
  record_control(self, Control::Time, self.time);
  tell_order(self);
}

// A cell's word becomes two records for each run of bytes; eight bytes have at most four.
constexpr std::size_t kRecordsOfWord = 8;

/// Writes them and returns how many there are.
std::size_t put_remembered(Record* to, std::uintptr_t cell_address, const Remembered& access,
                           std::uint64_t stamp) {
  const Incarnation& who = incarnations[incarnation_of(access.slot)];
  const std::uint64_t time = who.time_base + epoch_of(access.slot);
  const EventKind kind = access.is_write ? EventKind::RetroWrite : EventKind::RetroRead;
  const bool atomic = (access.slot & kAtomic) != 0;
  const MemoryOrder order = atomic ? MemoryOrder::Relaxed : MemoryOrder::None;
  if (atomic) recorder.told_atomic = true;
  std::size_t count = 0;
  for (std::uint32_t left = access.slot & kBytesMask; left != 0; count += 2) {
    const auto first = static_cast<unsigned>(__builtin_ctz(left));
    const auto bytes = static_cast<unsigned>(__builtin_ctz(~(left >> first)));
    left &= left + (1U << first);
    to[count] = {record_head(kind, order, bytes, true, 0, place_of(access.slot)) |
                     ((access.slot & kNear) != 0 ? kHasValue : 0),
                 cell_address + first};
    to[count + 1] = {stamp, std::uint64_t{who.thread} << stream::kRetroThreadAt | time};
  }
  return count;
}

constinit std::uintptr_t heap_low = UINTPTR_MAX;
constinit std::uintptr_t heap_high = 0;

/// Whether there is the mark of a block that holds the address, which begins behind it.
bool find_mark(std::uintptr_t address, std::uintptr_t& begin) {
  if (address < __atomic_load_n(&heap_low, __ATOMIC_RELAXED) ||
      address >= __atomic_load_n(&heap_high, __ATOMIC_RELAXED))
    return false;
  begin = address & ~std::uintptr_t{7};
  for (std::size_t i = 0; i < kLargeBlock / 8; ++i, begin -= 8) {
    const Cell cell(begin - 8);
    if (incarnation_of(__atomic_load_n(&cell.read(), __ATOMIC_ACQUIRE)) != kBlockMark) continue;
    return address - begin < __atomic_load_n(&cell.write(), __ATOMIC_RELAXED);
  }
  return false;
}

constinit std::uint32_t large_blocks_gone = 0;

/// A page at this time: small blocks may come where a large one was.
std::uint64_t bare_page(std::uintptr_t page) {
  return page << 16 | (__atomic_load_n(&large_blocks_gone, __ATOMIC_RELAXED) & 0xffff);
}

bool is_in_known_block(const Thread& self, std::uintptr_t address) {
  constexpr std::uint64_t kKnown = std::uint64_t{kBlockMark} << kIncarnationAt | kBlockAnnounced;
  for (const KnownBlock& block : self.known_blocks)
    if (address - block.begin < block.bytes)
      return (__atomic_load_n(&Cell(block.begin - 8).read(), __ATOMIC_RELAXED) & kKnown) == kKnown;
  return false;
}

/// Tells where the block of an address was allocated, if it is in one and nobody has told yet.
void announce_block(Thread& self, std::uintptr_t address) {
  if (is_in_known_block(self, address)) return;
  const std::uintptr_t page = address / kPageBytes;
  std::uint64_t& bare = self.bare_pages[page % Thread::kBarePages];
  if (bare == bare_page(page)) return;
  std::uintptr_t begin = 0;
  if (!find_mark(address, begin)) {
    bare = bare_page(page);
    return;
  }
  const Cell mark(begin - 8);
  const std::uint64_t bytes = mark.write();
  self.known_blocks[self.next_known_block++ % Thread::kKnownBlocks] = {begin, bytes};
  if ((__atomic_load_n(&mark.read(), __ATOMIC_RELAXED) & kBlockAnnounced) != 0) return;
  Record* const to = reserve(self, 2);
  if (to == nullptr) return;
  const Stamping now(self);  // before it is seen to be announced, as in tell()
  const std::uint64_t word = __atomic_fetch_or(&mark.read(), kBlockAnnounced, __ATOMIC_ACQ_REL);
  if ((word & kBlockAnnounced) != 0 || incarnation_of(word) != kBlockMark) return;
  to[0] = {record_head(EventKind::Block, MemoryOrder::None, 0, true, 0, static_cast<std::uint32_t>(word)) |
               std::uint64_t{Record::kWidthInExtra} << Record::kWidthAt,
           begin};
  to[1] = {now.stamp(), bytes};
  commit_stamped(self, 2);
}

}  // namespace

void grow_heap(std::uintptr_t from, std::uintptr_t to) {
  // Two threads may grow it at once and one be forgotten until its next block: reports lack a name then.
  if (from < __atomic_load_n(&heap_low, __ATOMIC_RELAXED))
    __atomic_store_n(&heap_low, from, __ATOMIC_RELAXED);
  if (to > __atomic_load_n(&heap_high, __ATOMIC_RELAXED)) __atomic_store_n(&heap_high, to, __ATOMIC_RELAXED);
}

void forget_bare_pages() { __atomic_fetch_add(&large_blocks_gone, 1, __ATOMIC_RELAXED); }

void record_sync(Thread& self, const SyncEvent& event) {
  const Inside inside(self);
  order_before(self, event);
  record_calls(self);
  const bool valued = event.has_value && recorder.values;
  record_stamped(self,
                 record_head(event.kind, event.hides ? MemoryOrder::Relaxed : event.order, event.width, true,
                             ordinal(self), event.pc == 0 ? 0 : code_of(event.pc)) |
                     (valued ? kHasValue : 0),
                 event.target, valued ? event.value : event.width);
  order_after(self, event);
  if (!kTimeSteps.has(event.kind)) return;
  advance_time(self);
  self.ordinal = 0;
  if (self.ordinal_base != 0) {
    record_control(self, Control::Ordinal, 0);
    self.ordinal_base = 0;
  }
}

void pass_sync(Thread& self, const SyncEvent& event) {
  if (!releases(event.order)) return;
  const Inside inside(self);
  if (self.unstamped) record_switch(self);  // who comes after this comes after its records in the stream, too
  order_after(self, event);
  advance_time(self);
  self.accesses = self.cursor;
  self.untold = true;
}

void record_after(Thread& self, std::uint32_t thread, std::uint64_t time, MemoryOrder order) {
  record_stamped(self, record_head(EventKind::After, order, 0, true, 0, 0) | kHasValue, thread, time);
}

void record_switch(Thread& self) {
  if (!recorder.recording) return;
  record_stamped(self, static_cast<std::uint64_t>(Control::Switch) | std::uint64_t{1} << Record::kExtraAt, 0,
                 0);
}

void record_access(Thread& self, EventKind kind, std::uintptr_t address, std::uint64_t bytes,
                   std::uint32_t place) {
  record_calls(self);
  const bool narrow = bytes <= sizeof(std::uint64_t);
  const bool valued = recorder.values && narrow;
  const bool extends = recorder.filter == FilterLevel::Owner && narrow && !valued;
  if (extends && extend_access(self, kind, address, bytes, place)) return;
  const std::uint32_t count = ordinal(self);
  const bool wide = width_code(bytes) == Record::kWidthInExtra;
  const std::size_t records = wide || valued ? 2 : 1;
  Record* const to = reserve(self, records);
  if (to == nullptr) return;
  to[0] = {record_head(kind, MemoryOrder::None, bytes, records == 2, count, place), address};
  if (wide) to[1] = {0, bytes};
  if (extends) {
    self.cursor += sizeof(Record);
    self.unstamped = true;
    return publish(self);
  }
  if (!valued) return commit(self, records);
  to[0].head |= kHasValue;
  if (kind == EventKind::Read) {
    to[1] = {0, value_at(address, bytes)};
    return commit(self, records);
  }
  // The write comes after this hook; until the next one the record is nobody's business.
  to[1] = {};
  self.cursor += records * sizeof(Record);
  self.accesses = self.cursor;
  self.unstamped = true;
  self.written_value = &to[1].body;
  self.written_address = address;
  self.written_bytes = bytes;
  update_tag(self);
}

void record_written_value(Thread& self) {
  *self.written_value = value_at(self.written_address, self.written_bytes);
  self.written_value = nullptr;
  publish(self);
  update_tag(self);
}

bool record_remembered(Thread& self, std::uintptr_t cell_address, const Remembered* accesses,
                       std::size_t count) {
  announce_block(self, cell_address);
  Record* const to = reserve(self, count * kRecordsOfWord);
  if (to == nullptr) return false;
  // The stamp comes before the cell is free again: so these records come before everything that another
  // thread records about it.
  const Stamping now(self);
  std::size_t records = 0;
  for (std::size_t i = 0; i < count; ++i)
    records += put_remembered(to + records, cell_address, accesses[i], now.stamp());
  commit_stamped(self, records);
  return true;
}

void record_range(Thread& self, EventKind kind, std::uintptr_t address, std::uint64_t bytes, Pc pc) {
  record_calls(self);
  record_stamped(self,
                 record_head(kind, MemoryOrder::None, 0, true, ordinal(self), pc == 0 ? 0 : code_of(pc)) |
                     std::uint64_t{Record::kWidthInExtra} << Record::kWidthAt,
                 address, bytes);
}

}  // namespace ravel::rt
