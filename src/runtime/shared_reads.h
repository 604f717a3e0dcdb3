// Words that several threads read in turns, and that are seldom written; and words that they use atomically
// in turns. If each of them changed the cell, its cache lines would travel between the processors with every
// access. So the read slot of such a cell only says that the word is shared, how, and by whom; every one of
// these threads keeps its own accesses, in a table that nobody else puts anything into.
//
// Who has to know them, as the first to write the word, or to access it plainly, locks the cell and takes
// them out of the tables. A sharer changes what is in its table by atomic operations: either its accesses are
// still there, and will be taken with the new one; or they are gone, and it has to ask the cell. Its first
// one is put there with the cell locked.
#pragma once

#include <cstdint>

#include "runtime/platform.h"
#include "runtime/shadow.h"
#include "runtime/thread.h"

namespace ravel::rt {

/// In place of an incarnation, and no thread's: the word is shared by those who read it, or by those who use
/// it atomically. It has all bytes, so that it looks like reads that nobody is ordered after. In place of
/// when and where: a bit for each of them.
inline constexpr std::uint32_t kSharedReads = kIncarnations - 2;
inline constexpr std::uint32_t kSharedAtomics = kIncarnations - 3;
inline constexpr std::uint64_t kWordOfReaders = std::uint64_t{kSharedReads} << kIncarnationAt | kBytesMask;
inline constexpr std::uint64_t kWordOfAtomics = std::uint64_t{kSharedAtomics} << kIncarnationAt | kBytesMask;
inline constexpr std::uint64_t kReadersMask = (std::uint64_t{kEpochs - 1} << kEpochAt) | kCellPlaceMask;
RAVEL_INLINE bool is_word_of_readers(std::uint64_t read_word) {
  return incarnation_of(read_word) == kSharedReads;
}
RAVEL_INLINE bool is_word_of_atomics(std::uint64_t read_word) {
  return incarnation_of(read_word) == kSharedAtomics;
}
RAVEL_INLINE bool is_shared_word(std::uint64_t read_word) {
  return is_word_of_readers(read_word) || is_word_of_atomics(read_word);
}
/// It is, and the thread's table has accesses to it.
RAVEL_INLINE bool is_sharer(const Thread& self, std::uint64_t read_word) {
  return is_shared_word(read_word) && (read_word & self.reader_bit) != 0;
}

/// What a thread has done to a shared word: its last read, and one of other bytes at another time; or its
/// last atomic access, and one of the other kind before that. As in further slots of cells.
struct alignas(16) ReadPair {
  std::uint64_t last;
  std::uint64_t further;
};
struct SharedRead {
  ReadPair reads;
  std::uintptr_t cell;  ///< the address of the word
};

inline constexpr std::size_t kSharedReadEntries = std::size_t{1} << 12;
/// Words side by side are kept side by side.
RAVEL_INLINE std::size_t shared_read_index(std::uintptr_t cell_address) {
  return (cell_address / 8 ^ cell_address >> 18) % kSharedReadEntries;
}
/// Where the thread keeps its reads of a word, if it does; else they may be another word's.
RAVEL_INLINE SharedRead& shared_read(Thread& self, std::uintptr_t cell_address) {
  return self.shared_reads[shared_read_index(cell_address)];
}

RAVEL_INLINE bool exchange_reads(ReadPair& reads, ReadPair expected, ReadPair next) {
  bool done = false;
  asm volatile("lock cmpxchg16b %1"
               : "=@ccz"(done), "+m"(reads), "+a"(expected.last), "+d"(expected.further)
               : "b"(next.last), "c"(next.further)
               : "memory");
  return done;
}
RAVEL_INLINE ReadPair take_reads(SharedRead& entry) {
  while (true) {
    const ReadPair reads = {__atomic_load_n(&entry.reads.last, __ATOMIC_RELAXED),
                            __atomic_load_n(&entry.reads.further, __ATOMIC_RELAXED)};
    if (exchange_reads(entry.reads, reads, {})) return reads;
  }
}

/// Calls a function with the entry of every reader that the shared word names.
template <typename Do>
void each_reader(std::uint64_t read_word, std::uintptr_t cell_address, Do act);
/// Calls a function with all entries of the thread that have reads.
template <typename Do>
void each_shared_read(Thread& self, Do act);

/// Of so many entries, either all are looked at when the thread ends, or none.
inline constexpr std::size_t kEntriesOfBlock = kSharedReadEntries / 64;
/// The thread begins to keep its reads of a word. The entry has no others.
inline void keep_reads(Thread& self, std::uintptr_t cell_address, ReadPair reads) {
  self.shared_reads_touched |= std::uint64_t{1} << shared_read_index(cell_address) / kEntriesOfBlock;
  SharedRead& entry = shared_read(self, cell_address);
  entry.cell = cell_address;
  __atomic_store_n(&entry.reads.further, reads.further, __ATOMIC_RELAXED);
  __atomic_store_n(&entry.reads.last, reads.last, __ATOMIC_RELEASE);
}

/// The thread comes back to a word that another one has read since, or used atomically. True: that was often.
bool is_often_used_in_turns(Thread& self, std::uintptr_t cell_address);

/// A new thread: gets a table, if there is one left.
void begin_shared_reads(Thread& self);
/// It ends, and its table is empty.
void end_shared_reads(Thread& self);
bool map_shared_reads();
/// In a new stream.
void forget_shared_reads();

/// The table of the thread that has a bit of shared words.
SharedRead* reader_table(std::uint64_t reader_bit);

template <typename Do>
void each_reader(std::uint64_t read_word, std::uintptr_t cell_address, Do act) {
  for (std::uint64_t left = read_word & kReadersMask; left != 0; left &= left - 1)
    act(reader_table(left & -left)[shared_read_index(cell_address)]);
}

template <typename Do>
void each_shared_read(Thread& self, Do act) {
  for (std::uint64_t left = self.shared_reads_touched; left != 0; left &= left - 1) {
    SharedRead* const first =
        self.shared_reads + static_cast<unsigned>(__builtin_ctzll(left)) * kEntriesOfBlock;
    for (SharedRead* entry = first; entry < first + kEntriesOfBlock; ++entry)
      if (__atomic_load_n(&entry->reads.last, __ATOMIC_RELAXED) != 0) act(*entry);
  }
}

}  // namespace ravel::rt
