#include "runtime/shared_reads.h"

namespace ravel::rt {
namespace {

constexpr std::size_t kTableBytes = kSharedReadEntries * sizeof(SharedRead);
constexpr std::size_t kTablesBytes = 64 * kTableBytes;
static_assert(kTableBytes % kPageBytes == 0 && 64 % sizeof(SharedRead) == 0);

constinit char* tables = nullptr;  // by number of a reader's bit
constinit std::uint64_t free_bits = kReadersMask;
constinit SpinLock giving;

}  // namespace

SharedRead* reader_table(std::uint64_t reader_bit) {
  return reinterpret_cast<SharedRead*>(tables +
                                       static_cast<unsigned>(__builtin_ctzll(reader_bit)) * kTableBytes);
}

bool is_often_used_in_turns(Thread& self, std::uintptr_t cell_address) {
  // Readers of a shared word are not told at a glance that they repeat something, and who writes it has to
  // look for them all. And where too many words are used in turns for the tables, each would come and go.
  constexpr std::uint32_t kOften = 16;
  if (self.reader_bit == 0) return false;
  Thread::Turns& turns = self.turns[shared_read_index(cell_address) % Thread::kTurns];
  if (turns.cell != cell_address) turns = {cell_address, 0};
  if (++turns.count < kOften) return false;
  turns.count = 0;
  return true;
}

void begin_shared_reads(Thread& self) {
  const Locked lock(giving);
  if (free_bits == 0) return;
  self.reader_bit = free_bits & -free_bits;
  free_bits &= ~self.reader_bit;
  self.shared_reads = reader_table(self.reader_bit);
}

void end_shared_reads(Thread& self) {
  if (self.reader_bit == 0) return;
  if (self.shared_reads_touched != 0)
    forget_memory(reinterpret_cast<std::uintptr_t>(self.shared_reads), kTableBytes);
  const Locked lock(giving);
  free_bits |= self.reader_bit;
}

bool map_shared_reads() {
  tables = static_cast<char*>(reserve_memory(kTablesBytes));
  return tables != nullptr;
}

void forget_shared_reads() {
  forget_memory(reinterpret_cast<std::uintptr_t>(tables), kTablesBytes);
  free_bits = kReadersMask;
  giving = {};
}

}  // namespace ravel::rt
