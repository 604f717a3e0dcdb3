#include "runtime/access.h"

#include "runtime/bias.h"
#include "runtime/cell.h"
#include "runtime/signal.h"
#include "runtime/site.h"
#include "runtime/token.h"

namespace ravel::rt {
namespace {

constexpr EventKind kKinds[] = {EventKind::Read, EventKind::Write};

bool is_mine(const Thread& self, std::uint64_t word) {
  return incarnation_of(word) != 0 && incarnations[incarnation_of(word)].thread == self.index;
}

/// Decides about an access to some bytes of a cell, for a trace with all accesses, or one of each local time.
Outcome enter_unowned_cell(Thread& self, const Cell& cell, std::uint64_t bytes, unsigned kind) {
  if (recorder.filter == FilterLevel::None || self.incarnation == 0) return Outcome::Record;
  const std::uint64_t mine = kSegment | self.tag | bytes;
  const std::uint64_t old = __atomic_load_n(&cell.word(kind), __ATOMIC_RELAXED);
  const std::uint64_t beside = __atomic_load_n(&cell.word(1 - kind), __ATOMIC_RELAXED);
  const bool alone = beside == 0 || ((beside ^ mine) & kTagMask) == 0 || is_mine(self, beside);
  if (alone && ((old ^ mine) & kTagMask) == 0 && covers(old, mine)) return Outcome::Dropped;
  __atomic_store_n(&cell.word(kind), mine, __ATOMIC_RELAXED);
  return Outcome::Record;
}

RAVEL_NOINLINE Outcome enter(Thread& self, std::uintptr_t cell_address, std::uint64_t bytes, unsigned kind,
                             std::uint32_t place) {
  if (recorder.filter != FilterLevel::Owner) return enter_unowned_cell(self, Cell(cell_address), bytes, kind);
  return enter_cell(self, cell_address, bytes, kind, place, false);
}

// The words of this many bytes of memory are one line of a cache; and how far ahead they are fetched. Most
// cells are changed by atomic operations, during which nothing else is waited for.
constexpr std::uintptr_t kLine = 64;
constexpr std::uintptr_t kAhead = 4 * kLine;
template <unsigned kKind>
RAVEL_INLINE void fetch_cell_words(const Cell& cell) {
  __builtin_prefetch(&cell.read(), 1);
  __builtin_prefetch(&cell.write(), kKind == kWriteWord);
}

/// Accesses cells of a range, as far as that goes by the short ways alone, which leave nothing to record.
/// Returns how far it got.
template <unsigned kKind>
RAVEL_NOINLINE std::uintptr_t pass_shortly(Thread& self, std::uintptr_t begin, std::uintptr_t end,
                                           std::uint32_t place) {
  // At most a page: others may have to wait until the thread is no longer at work.
  const std::uintptr_t page_end = (begin | (kPageBytes - 1)) + 1;
  const std::uintptr_t stop = page_end < end ? page_end : end;
  const AtPlace where{place, cell_place(site_of(self, place))};
  const Working working(self);
  const Bias bias = __atomic_load_n(&bias_of(begin), __ATOMIC_ACQUIRE);
  const bool own = is_own_region(self, bias);
  if (!own && !is_shared_for_good(bias)) return begin;
  const Region region = own ? Region::Own : Region::Shared;
  std::uintptr_t at = begin;
  while (at < stop) {
    const std::uintptr_t cell_end = (at & ~std::uintptr_t{7}) + 8;
    const std::uintptr_t next = cell_end < stop ? cell_end : stop;
    const auto bytes = static_cast<unsigned>(next - at);
    const std::uint64_t code = bytes_code(at & 7, bytes);
    const Cell cell(at);
    if (at % kLine == 0 && stop - at > kAhead) fetch_cell_words<kKind>(Cell(at + kAhead));
    if (!is_repeated(self, at, bytes, kKind) && !(own && renew_last<kKind>(self, cell, code, where)) &&
        !enter_shortly<kKind>(self, cell, code, region, where))
      break;
    at = next;
  }
  return at;
}

/// In a controlled run: a point where others may go first.
void reach_access(const Thread& self, std::uintptr_t address, std::size_t bytes, unsigned kind, Pc pc) {
  if (!controlled || switch_at == SwitchAt::Sync) return;
  if (switch_at == SwitchAt::Shared) {
    std::uintptr_t at = address & ~std::uintptr_t{7};
    while (at < address + bytes && !is_contended(self, Cell(at))) at += 8;
    if (at >= address + bytes) return;
  }
  reach({.kind = kind == kReadWord ? OperationKind::Read : OperationKind::Write,
         .object = reinterpret_cast<const void*>(address),
         .pc = pc});
}

enum class Renewal : std::uint8_t { Done, NotShort, NotTried };
/// What most accesses at a new local time come to, if hooks decide at a glance: nothing but a new slot. If it
/// is done and a signal waits for the thread, it is to be done again. Calls no function.
template <unsigned kKind>
RAVEL_INLINE Renewal renew(Thread& self, std::uintptr_t address, std::uint64_t bytes, Pc pc) {
  if (self.hot_tag != self.tag || !is_main_code(pc)) return Renewal::NotTried;
  bool done = false;
  {
    const Working working(self);
    const AtHook where{self, pc};
    const Bias bias = __atomic_load_n(&bias_of(address), __ATOMIC_ACQUIRE);
    const bool own = is_own_region(self, bias);
    if (!own && !is_shared_for_good(bias)) return Renewal::NotTried;
    const Cell cell(address);
    const bool is_new = own && __atomic_load_n(&cell.word(kKind), __ATOMIC_RELAXED) == 0;
    done = (is_new && renew_last<kKind>(self, cell, bytes, where)) ||
           enter_shortly<kKind>(self, cell, bytes, own ? Region::Own : Region::Shared, where);
  }
  return !done ? Renewal::NotShort : self.pending_signals == 0 ? Renewal::Done : Renewal::NotTried;
}

/// What is not done shortly. `tried`: that was no way.
RAVEL_NOINLINE void access_slowly(Thread& self, std::uintptr_t address, unsigned bytes, unsigned kind, Pc pc,
                                  bool tried) {
  const std::uintptr_t cell_address = address & ~std::uintptr_t{7};
  const std::uint64_t code = bytes_code(address & 7, bytes);
  if (self.hot_tag == self.tag) [[likely]] {  // hooks decide at a glance: nothing else is to be seen to
    fetch_cell(Cell(address), kind);
    const Inside inside(self);
    const std::uint32_t place = code_of(pc);
    if (enter_cell(self, cell_address, code, kind, place, tried) == Outcome::Record) [[unlikely]]
      record_access(self, kKinds[kind], address, bytes, place);
    return;
  }
  reach_access(self, address, bytes, kind, pc);
  const Inside inside(self);
  settle(self);
  const std::uint32_t place = code_of(pc);
  if (enter(self, cell_address, code, kind, place) == Outcome::Record)
    record_access(self, kKinds[kind], address, bytes, place);
}

}  // namespace

bool read_shared_anew(Thread& self, std::uintptr_t address, std::uint64_t bytes, Pc pc) {
  return self.hot_tag == self.tag && is_main_code(pc) && read_shared(self, address, bytes, AtHook{self, pc});
}

template <unsigned kKind>
void access_anew(Thread& self, std::uintptr_t address, unsigned bytes, Pc pc) {
  const Renewal renewal = renew<kKind>(self, address, bytes_code(address & 7, bytes), pc);
  if (renewal != Renewal::Done) access_slowly(self, address, bytes, kKind, pc, renewal == Renewal::NotShort);
}
template void access_anew<kReadWord>(Thread&, std::uintptr_t, unsigned, Pc);
template void access_anew<kWriteWord>(Thread&, std::uintptr_t, unsigned, Pc);

template <unsigned kKind>
void access_bytes(Thread& self, std::uintptr_t address, std::size_t bytes, Pc pc) {
  constexpr std::size_t kFew = 16;
  if (bytes > kFew || self.hot_tag != self.tag) return access_range(self, address, bytes, kKind, pc);
  const std::uintptr_t end = address + bytes;
  for (std::uintptr_t at = address; at < end;) {
    const std::uintptr_t cell_end = (at & ~std::uintptr_t{7}) + 8;
    const std::uintptr_t next = cell_end < end ? cell_end : end;
    const auto part = static_cast<unsigned>(next - at);
    if (!is_repeated(self, at, part, kKind)) access_missed<kKind>(self, at, part, pc);
    at = next;
  }
}
template void access_bytes<kReadWord>(Thread&, std::uintptr_t, std::size_t, Pc);
template void access_bytes<kWriteWord>(Thread&, std::uintptr_t, std::size_t, Pc);

void access_range(Thread& self, std::uintptr_t address, std::size_t bytes, unsigned kind, Pc pc) {
  reach_access(self, address, bytes, kind, pc);
  const Inside inside(self);
  settle(self);
  const std::uint32_t place = code_of(pc);
  const std::uintptr_t end = address + bytes;
  // What has to be recorded so far and touches `at`: cells that follow each other become one record.
  std::uintptr_t pending = address;
  std::uintptr_t at = address;
  // Where that is no way, it is none for the cells nearby.
  constexpr std::uintptr_t kNearby = 64;
  std::uintptr_t short_way = self.hot_tag == self.tag ? at : end;
  while (at < end) {
    if (at >= short_way) {
      const std::uintptr_t passed = kind == kReadWord ? pass_shortly<kReadWord>(self, at, end, place)
                                                      : pass_shortly<kWriteWord>(self, at, end, place);
      if (passed > at) {
        if (pending < at) record_access(self, kKinds[kind], pending, at - pending, place);
        pending = at = passed;
        continue;
      }
      short_way = at + kNearby;
    }
    const std::uintptr_t cell_address = at & ~std::uintptr_t{7};
    const std::uintptr_t next = cell_address + 8 < end ? cell_address + 8 : end;
    const std::uint64_t code = bytes_code(at & 7, static_cast<unsigned>(next - at));
    const bool repeated = is_repeated(self, at, static_cast<unsigned>(next - at), kind);
    if (repeated || enter(self, cell_address, code, kind, place) == Outcome::Dropped) {
      if (pending < at) record_access(self, kKinds[kind], pending, at - pending, place);
      pending = next;
    }
    at = next;
  }
  if (pending < end) record_access(self, kKinds[kind], pending, end - pending, place);
}

Outcome enter_atomic_range(Thread& self, std::uintptr_t address, std::size_t bytes, unsigned kind, Pc pc,
                           bool recorded) {
  if (recorder.filter == FilterLevel::None || !sees_accesses) return Outcome::Record;
  const Inside inside(self);
  settle(self);
  const std::uint32_t place = pc == 0 ? 0 : code_of(pc);
  Outcome outcome = recorded ? Outcome::Record : Outcome::Dropped;
  for (std::uintptr_t at = address & ~std::uintptr_t{7}; at < address + bytes; at += 8) {
    if (recorder.filter == FilterLevel::Segment) {  // it comes between repetitions
      for (const unsigned word : {kReadWord, kWriteWord})
        __atomic_store_n(&Cell(at).word(word), 0, __ATOMIC_RELAXED);
      outcome = Outcome::Record;
      continue;
    }
    const std::uintptr_t first = at < address ? address : at;
    const std::uintptr_t end = at + 8 < address + bytes ? at + 8 : address + bytes;
    const std::uint64_t code = bytes_code(first & 7, static_cast<unsigned>(end - first));
    if (enter_cell_atomically(self, at, code, kind, place, recorded) == Outcome::Record)
      outcome = Outcome::Record;
  }
  return outcome;
}

namespace {

/// Whether the trace knows of any of these cells.
bool any_in_stream(std::uintptr_t address, std::size_t bytes) {
  std::uint64_t all = 0;
  for (std::uintptr_t at = address & ~std::uintptr_t{7}; at < address + bytes; at += 8)
    all |= __atomic_load_n(&Cell(at).write(), __ATOMIC_RELAXED);
  return (all & kInStream) != 0;
}

// Of larger blocks only so many bytes are remembered as freed.
constexpr std::size_t kRememberedFree = 1024;
// Of a huge one not even the last accesses of other threads are looked for: a race with its being freed may
// be missed.
constexpr std::size_t kHugeBlock = std::size_t{16} * 1024 * 1024;

}  // namespace

void memory_begins(Thread& self, std::uintptr_t address, std::size_t bytes, Pc pc) {
  if (!sees_accesses) return;
  const Inside inside(self);
  ++self.blocks;
  if (bytes == 0 || recorder.filter == FilterLevel::None) {
    if (bytes != 0) record_range(self, EventKind::Alloc, address, bytes, pc);
    return;
  }
  const bool synchronized = forget_order_of(address, bytes);
  // Looking at the cells of a large block would cost more than a record, and make pages of the shadow that
  // the program never needs.
  if (recorder.filter == FilterLevel::Segment || bytes >= kLargeBlock || synchronized ||
      any_in_stream(address, bytes))
    record_range(self, EventKind::Alloc, address, bytes, pc);
  forget_cells(address, bytes);
  forget_biases(address, bytes);
}

void block_begins(Thread& self, std::uintptr_t address, std::size_t bytes, Pc pc) {
  memory_begins(self, address, bytes, pc);
  if (recorder.filter != FilterLevel::None) expect_use(address, bytes);
  if (recorder.filter != FilterLevel::Owner || bytes >= kLargeBlock) return;
  const Cell mark(address - 8);
  __atomic_store_n(&mark.write(), bytes, __ATOMIC_RELAXED);
  __atomic_store_n(&mark.read(), std::uint64_t{kBlockMark} << kIncarnationAt | code_of(pc), __ATOMIC_RELEASE);
  grow_heap(address, address + bytes);
}

void memory_ends(Thread& self, std::uintptr_t address, std::size_t bytes, Pc pc) {
  if (bytes == 0 || !sees_accesses) return;
  const Inside inside(self);
  settle(self);
  if (recorder.filter != FilterLevel::Owner) {
    record_range(self, EventKind::Free, address, bytes, pc);
    if (recorder.filter == FilterLevel::Segment) forget_cells(address, bytes);
    return;
  }
  if (bytes >= kLargeBlock) forget_bare_pages();
  bool known = bytes >= kHugeBlock;  // to somebody else than this thread
  const std::uintptr_t last = known ? address : address + bytes - 1;
  UntouchedCells untouched;
  for (std::uintptr_t at = address & ~std::uintptr_t{7}; at <= last; at += 8) {
    const Cell cell(at);
    if (bytes >= kLargeBlock) {
      if (const std::size_t count = untouched.count_from(cell); count > 0) {
        at += 8 * (count - 1);
        continue;
      }
    }
    known |= leave_cell(self, cell, at);
  }
  known |= forget_order_of(address, bytes);
  if (known) record_range(self, EventKind::Free, address, bytes, pc);
  forget_cells(address, bytes);
  // Who touches the first bytes from now on races with this thread's freeing them.
  if (self.incarnation == 0) return;
  const std::uint64_t freed = self.tag | cell_place(site_of(self, code_of(pc)));
  const std::size_t remembered = bytes < kRememberedFree ? bytes : kRememberedFree;
  for (std::uintptr_t at = address & ~std::uintptr_t{7}; at < address + remembered; at += 8)
    __atomic_store_n(&Cell(at).write(), freed | bytes_code(0, 8), __ATOMIC_RELAXED);
}

}  // namespace ravel::rt
