#include "runtime/access.h"

#include "runtime/signal.h"
#include "runtime/site.h"
#include "runtime/token.h"

namespace ravel::rt {
namespace {

constexpr EventKind kKinds[] = {EventKind::Read, EventKind::Write};

bool is_mine(const Thread& self, std::uint64_t word) {
  const std::uint32_t owner = incarnation_of(word);
  return owner == self.incarnation || (owner != 0 && incarnation(owner).thread == self.index);
}

enum class Outcome : std::uint8_t { Dropped, Record };

/// Replaces a word of a cell if it is still `old`.
bool replace(std::uint64_t& word, std::uint64_t old, std::uint64_t next) {
  if (old == next) return __atomic_load_n(&word, __ATOMIC_SEQ_CST) == old;
  return __atomic_compare_exchange_n(&word, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/// If the cell at `address` and those behind it, up to `end`, remember the same of another thread, tells of
/// all of them at once. How many there are; 0: none was told.
std::size_t tell_of_run(Thread& self, std::uintptr_t address, std::uintptr_t end) {
  Cell* const cell = cell_of(address);
  const std::uint64_t words[2] = {__atomic_load_n(&cell->words[0], __ATOMIC_RELAXED),
                                  __atomic_load_n(&cell->words[1], __ATOMIC_RELAXED)};
  if ((words[0] | words[1]) == 0) return 0;
  const bool shared = (words[0] & words[1] & kShared) != 0;
  if (shared ? !is_hidden(*cell, kReadWord, words[0]) && !is_hidden(*cell, kWriteWord, words[1])
             : ((words[0] | words[1]) & kShared) != 0)
    return 0;
  for (const std::uint64_t word : words)
    if ((word & ~kShared) != 0 && ((word & kBytesMask) != kBytesMask || is_mine(self, word))) return 0;
  std::size_t count = 1;
  while (address + 8 * (count + 1) <= end && count < stream::Record::kOrdinalMax &&
         __atomic_load_n(&cell[count].words[0], __ATOMIC_RELAXED) == words[0] &&
         __atomic_load_n(&cell[count].words[1], __ATOMIC_RELAXED) == words[1])
    ++count;
  if (count < 2) return 0;
  if (shared)
    reveal_cells(self, cell, address, count);
  else
    share_cells(self, cell, address, count);
  return count;
}

/// The thread has come to a cell that remembers another one. While it goes from each to the next, it tells of
/// more and more cells at once, also of such as it has not come to yet.
void tell_ahead(Thread& self, std::uintptr_t cell_address) {
  constexpr std::uint32_t kMaxAhead = 64;
  self.ahead = cell_address != self.told_until ? 1 : self.ahead < kMaxAhead ? 2 * self.ahead : kMaxAhead;
  const std::size_t told =
      self.ahead > 1 ? tell_of_run(self, cell_address, cell_address + 8 * std::uintptr_t{self.ahead}) : 0;
  self.told_until = cell_address + 8 * (told > 0 ? told : 1);
}

/// What a word of a cell of this thread says about other bytes than these goes to the older cell. What that
/// has said about still others is recorded, unless it is in the stream already.
void keep_older(Thread& self, const Cell& cell, std::uintptr_t cell_address, std::uint64_t word,
                std::uint64_t bytes, unsigned kind) {
  std::uint64_t& older = older_cell(&cell)->words[kind];
  const auto told = [shared = (word & kShared) != 0](std::uint64_t access) {
    return shared && (access & kCellPlaceMask) == 0;
  };
  std::uint64_t next = word & ~(kShared | kOlder | bytes);
  if ((word & kShared) != 0) next &= ~kWhole;
  if (const std::uint64_t left = older & kBytesMask & ~word & ~bytes; (word & kOlder) != 0 && left != 0) {
    if (told(older))
      next |= told(word) ? left : 0;
    else if (told(word))
      return;
    else
      record_remembered(self, cell_address, (older & ~kBytesMask) | left, kind == kWriteWord);
  }
  __atomic_store_n(&older, next, __ATOMIC_RELAXED);
}

/// Of a shared word of this thread: the bytes for which it needs no check. All that its word names were
/// checked when they were recorded, and so were the older ones.
std::uint64_t checked_bytes(const Cell& cell, unsigned kind, std::uint64_t word) {
  if ((word & kWhole) != 0) return kBytesMask;
  const std::uint64_t older =
      (word & kOlder) != 0 ? __atomic_load_n(&older_cell(&cell)->words[kind], __ATOMIC_RELAXED) : 0;
  return (word | older) & kBytesMask;
}

/// Decides about an access to some bytes of a cell that is shared, and keeps the cell true.
///
/// The first access after somebody else's is recorded, and with it checked against all that came before. What
/// the same thread does to the same bytes after it, at later times, is as that of an owner: the last read and
/// the last write are remembered, and the next thread that comes tells of them. A read is no check of what a
/// write has to be checked for, so the first write is recorded, too.
RAVEL_NOINLINE Outcome enter_shared_cell(Thread& self, Cell& cell, std::uintptr_t cell_address,
                                         std::uint64_t bytes, unsigned kind, std::uint32_t place) {
  std::uint64_t& word = cell.words[kind];
  std::uint64_t& other = cell.words[1 - kind];
  const std::uint64_t mine = kShared | self.tag | bytes;
  while (true) {
    const std::uint64_t old = __atomic_load_n(&word, __ATOMIC_ACQUIRE);
    const std::uint64_t beside = __atomic_load_n(&other, __ATOMIC_ACQUIRE);
    const bool old_is_mine = is_mine(self, old);
    const bool beside_is_mine = is_mine(self, beside);
    if ((!old_is_mine && is_hidden(cell, kind, old)) ||
        (!beside_is_mine && is_hidden(cell, 1 - kind, beside))) {
      tell_ahead(self, cell_address);
      if (!reveal_cells(self, &cell, cell_address)) return Outcome::Dropped;
      continue;
    }
    if (self.incarnation == 0) {  // it cannot leave its name, but has come between
      if (((old | beside) & ~kShared) != 0 && !reveal_cells(self, &cell, cell_address))
        return Outcome::Dropped;
      return Outcome::Record;
    }
    const bool now = ((old ^ mine) & kTagMask) == 0;
    if (now && covers(old, mine)) return Outcome::Dropped;
    const std::uint64_t known = old_is_mine ? checked_bytes(cell, kind, old) : 0;
    const bool checked = covers(known, mine) || (kind == kReadWord && beside_is_mine &&
                                                 covers(checked_bytes(cell, kWriteWord, beside), mine));
    const bool alone = (old_is_mine || old == kShared) && (beside_is_mine || beside == kShared);
    const std::uint64_t where = checked && alone ? cell_place(site_of(self, place)) : 0;
    const bool hide = where != 0;
    std::uint64_t next = mine | where;
    if ((known | bytes) == kBytesMask) next |= kWhole;
    if (now) {
      next |= old & (kBytesMask | kOlder | (hide ? 0 : kCellPlaceMask));
    } else if (old_is_mine && bytes != kBytesMask) {
      const bool more = !covers(mine, old);
      next |= more ? kOlder : old & kOlder;
      if (more) keep_older(self, cell, cell_address, old, bytes, kind);
    }
    if (!replace(word, old, next)) continue;
    // Whoever made the last access of the other kind shall record the next one. If he has come again, or
    // somebody for the first time, each of the two sees the other's word here.
    const bool undisturbed = replace(other, beside, beside_is_mine ? beside : kShared);
    if (!undisturbed && !reveal_cells(self, &cell, cell_address)) return Outcome::Dropped;
    return hide && undisturbed ? Outcome::Dropped : Outcome::Record;
  }
}

/// Whether the word remembers an access at this place, in the calls that the thread is in.
bool is_at(Thread& self, std::uint64_t word, std::uint32_t place) {
  // The last bits are those of the code address, and quick to compare.
  return place_of(word) % stream::kGroupSites == place % stream::kGroupSites &&
         place_of(word) == site_of(self, place);
}

/// Decides about an access to some bytes of a cell and keeps the cell true. Record: the caller records it.
Outcome enter_cell(Thread& self, Cell& cell, std::uintptr_t cell_address, std::uint64_t bytes, unsigned kind,
                   std::uint32_t place) {
  std::uint64_t& word = cell.words[kind];
  std::uint64_t& other = cell.words[1 - kind];
  while (true) {
    std::uint64_t old = __atomic_load_n(&word, __ATOMIC_ACQUIRE);
    const std::uint64_t beside = __atomic_load_n(&other, __ATOMIC_ACQUIRE);
    if ((old & beside & kShared) != 0) return enter_shared_cell(self, cell, cell_address, bytes, kind, place);
    if (((old | beside) & kShared) != 0 ||  // somebody is about to make both so
        (old != 0 && !is_mine(self, old)) || (beside != 0 && !is_mine(self, beside)) ||
        self.incarnation == 0) {
      tell_ahead(self, cell_address);
      if (!share_cells(self, &cell, cell_address)) return Outcome::Dropped;
      continue;
    }
    const bool more = old != 0 && !covers(bytes, old);  // it says something about other bytes
    const bool now = ((old ^ self.tag) & kTagMask) == 0;
    std::uint64_t next = 0;
    if (more && now) {
      next = old | bytes | (is_at(self, old, place) ? 0 : kNear);
    } else {
      next = self.tag | cell_place(site_of(self, place)) | bytes;
      if (bytes != kBytesMask) next |= more ? kOlder : old & kOlder;
      if (more) keep_older(self, cell, cell_address, old, bytes, kind);
    }
    if (!__atomic_compare_exchange_n(&word, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) continue;
    if (old != 0) return Outcome::Dropped;
    // Two threads may claim the two words of a fresh cell at once; at least one of them sees the other here.
    // Both accesses are told late then, but only one that is recorded is checked against the other.
    const std::uint64_t since = __atomic_load_n(&other, __ATOMIC_SEQ_CST);
    if ((since & kShared) == 0 && (since == 0 || is_mine(self, since))) return Outcome::Dropped;
    return share_with_another(self, &cell, cell_address) ? Outcome::Record : Outcome::Dropped;
  }
}

/// The same for a trace with all accesses, or one of each local time.
Outcome enter_cell_unowned(Thread& self, Cell& cell, std::uint64_t bytes, unsigned kind) {
  if (recorder.filter == FilterLevel::None || self.incarnation == 0) return Outcome::Record;
  const std::uint64_t mine = kShared | self.tag | bytes;
  const std::uint64_t old = __atomic_load_n(&cell.words[kind], __ATOMIC_RELAXED);
  const std::uint64_t beside = __atomic_load_n(&cell.words[1 - kind], __ATOMIC_RELAXED);
  const bool alone = beside == 0 || ((beside ^ mine) & kTagMask) == 0 || is_mine(self, beside);
  if (alone && ((old ^ mine) & kTagMask) == 0 && covers(old, mine)) return Outcome::Dropped;
  __atomic_store_n(&cell.words[kind], mine, __ATOMIC_RELAXED);
  return Outcome::Record;
}

Outcome enter(Thread& self, std::uintptr_t cell_address, std::uint64_t bytes, unsigned kind,
              std::uint32_t place) {
  Cell& cell = *cell_of(cell_address);
  if (recorder.filter != FilterLevel::Owner) return enter_cell_unowned(self, cell, bytes, kind);
  return enter_cell(self, cell, cell_address, bytes, kind, place);
}

/// Whether another thread has touched the cell.
bool is_contended(const Thread& self, const Cell& cell) {
  for (const std::uint64_t& at : cell.words) {
    const std::uint64_t word = __atomic_load_n(&at, __ATOMIC_RELAXED);
    if ((word & kShared) != 0 || (word != 0 && incarnation_of(word) != kBlockMark && !is_mine(self, word)))
      return true;
  }
  return false;
}

/// In a controlled run: a point where others may go first.
void reach_access(const Thread& self, std::uintptr_t address, std::size_t bytes, unsigned kind, Pc pc) {
  if (!controlled || switch_at == SwitchAt::Sync) return;
  if (switch_at == SwitchAt::Shared) {
    const Cell* cell = cell_of(address);
    const Cell* const end = cell_of(address + bytes - 1) + 1;
    while (cell < end && !is_contended(self, *cell)) ++cell;
    if (cell == end) return;
  }
  reach({.kind = kind == kReadWord ? OperationKind::Read : OperationKind::Write,
         .object = reinterpret_cast<const void*>(address),
         .pc = pc});
}

}  // namespace

void access_slowly(Thread& self, std::uintptr_t address, unsigned bytes, unsigned kind, Pc pc) {
  reach_access(self, address, bytes, kind, pc);
  const Inside inside(self);
  settle(self);
  const std::uint32_t place = code_of(pc);
  const std::uintptr_t cell_address = address & ~std::uintptr_t{7};
  if (enter(self, cell_address, bytes_code(address & 7, bytes), kind, place) == Outcome::Record)
    record_access(self, kKinds[kind], address, bytes, place);
}

void access_range(Thread& self, std::uintptr_t address, std::size_t bytes, unsigned kind, Pc pc) {
  reach_access(self, address, bytes, kind, pc);
  const Inside inside(self);
  settle(self);
  const std::uint32_t place = code_of(pc);
  const std::uintptr_t end = address + bytes;
  // What has to be recorded so far and touches `at`: cells that follow each other become one record.
  std::uintptr_t pending = address;
  std::uintptr_t at = address;
  while (at < end) {
    const std::uintptr_t cell_address = at & ~std::uintptr_t{7};
    const std::uintptr_t next = cell_address + 8 < end ? cell_address + 8 : end;
    const std::uint64_t code = bytes_code(at & 7, static_cast<unsigned>(next - at));
    const bool repeated = is_repeated(self, at, static_cast<unsigned>(next - at), kind);
    if (!repeated && bytes > 8 && recorder.filter == FilterLevel::Owner) tell_of_run(self, cell_address, end);
    if (repeated || enter(self, cell_address, code, kind, place) == Outcome::Dropped) {
      if (pending < at) record_access(self, kKinds[kind], pending, at - pending, place);
      pending = next;
    }
    at = next;
  }
  if (pending < end) record_access(self, kKinds[kind], pending, end - pending, place);
}

void share_range(Thread& self, std::uintptr_t address, std::size_t bytes) {
  if (recorder.filter == FilterLevel::None || !sees_accesses) return;
  const Inside inside(self);
  for (std::uintptr_t at = address & ~std::uintptr_t{7}; at < address + bytes; at += 8) {
    Cell& cell = *cell_of(at);
    if (recorder.filter == FilterLevel::Segment) {  // it comes between repetitions
      for (std::uint64_t& word : cell.words) __atomic_store_n(&word, 0, __ATOMIC_RELAXED);
      continue;
    }
    const std::uint64_t read = __atomic_load_n(&cell.words[kReadWord], __ATOMIC_ACQUIRE);
    const std::uint64_t write = __atomic_load_n(&cell.words[kWriteWord], __ATOMIC_ACQUIRE);
    if ((read & write & kShared) == 0)
      share_cells(self, &cell, at);
    else if (((read | write) & ~kShared) != 0)
      reveal_cells(self, &cell, at);
  }
}

namespace {

/// Whether the trace knows of any of these cells.
bool any_shared(std::uintptr_t address, std::size_t bytes) {
  const Cell* const end = cell_of(address + bytes - 1) + 1;
  std::uint64_t all = 0;
  for (const Cell* cell = cell_of(address); cell < end; ++cell)
    all |= __atomic_load_n(&cell->words[kReadWord], __ATOMIC_RELAXED);
  return (all & kShared) != 0;
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
  if (bytes == 0 || recorder.filter == FilterLevel::None) {
    if (bytes != 0) record_range(self, EventKind::Alloc, address, bytes, pc);
    return;
  }
  // Looking at the cells of a large block would cost more than a record, and make pages of the shadow that
  // the program never needs.
  if (recorder.filter == FilterLevel::Segment || bytes >= kLargeBlock || any_shared(address, bytes))
    record_range(self, EventKind::Alloc, address, bytes, pc);
  forget_cells(address, bytes);
}

void block_begins(Thread& self, std::uintptr_t address, std::size_t bytes, Pc pc) {
  memory_begins(self, address, bytes, pc);
  if (recorder.filter != FilterLevel::Owner || bytes >= kLargeBlock) return;
  Cell& mark = *cell_of(address - 8);
  __atomic_store_n(&mark.words[1], bytes, __ATOMIC_RELAXED);
  __atomic_store_n(&mark.words[0], std::uint64_t{kBlockMark} << kIncarnationAt | code_of(pc),
                   __ATOMIC_RELEASE);
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
    Cell& cell = *cell_of(at);
    if (bytes >= kLargeBlock) {
      if (const std::size_t count = untouched.count_from(&cell); count > 0) {
        at += 8 * (count - 1);
        continue;
      }
    }
    for (const unsigned kind : {kReadWord, kWriteWord}) {
      const std::uint64_t& word = cell.words[kind];
      std::uint64_t now = __atomic_load_n(&word, __ATOMIC_ACQUIRE);
      if (now == 0 || ((now & kShared) == 0 && is_mine(self, now))) continue;
      known = true;
      tell_of_run(self, at, last + 1);
      now = __atomic_load_n(&word, __ATOMIC_ACQUIRE);
      if ((now & kShared) == 0)
        share_cells(self, &cell, at);
      else if (!is_mine(self, now) && is_hidden(cell, kind, now))
        reveal_cells(self, &cell, at);
    }
  }
  if (known) record_range(self, EventKind::Free, address, bytes, pc);
  forget_cells(address, bytes);
  // Who touches the first bytes from now on races with this thread's freeing them.
  if (self.incarnation == 0) return;
  const std::uint64_t freed = self.tag | cell_place(site_of(self, code_of(pc)));
  const std::size_t remembered = bytes < kRememberedFree ? bytes : kRememberedFree;
  for (std::uintptr_t at = address & ~std::uintptr_t{7}; at < address + remembered; at += 8)
    __atomic_store_n(&cell_of(at)->words[kWriteWord], freed | bytes_code(0, 8), __ATOMIC_RELAXED);
}

}  // namespace ravel::rt
