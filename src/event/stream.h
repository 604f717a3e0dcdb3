// The stream: what the runtime leaves in a shared file while the program runs, and ravel reads, then or
// later.
//
// One file a process. Everything in it is written in place through a shared mapping, so a program that dies,
// however it dies, loses nothing but the record it was writing. Layout:
//
//   StreamHead          one page: counters, options, what became of the run
//   notes               text lines, one fact each: modules, command line (kNotes...)
//   chunks              kChunkBytes each: a ChunkHead and records of one thread, or ThreadSlots, or
//   SiteGroups
//
// A thread's chunks are a list: ThreadSlot::first, then ChunkHead::next. Threads only append, and make plain
// accesses wider that no stamp follows in the same chunk; a reader that has attached gives the chunks it is
// done with back to the free list.
//
// Order: synchronization takes a stamp from one counter: an acquire after it succeeded, a release before it
// begins. A record without a stamp happened after the thread's previous stamp and before its next one; the
// merge puts it right before the next. A thread announces in ThreadSlot::stamping that it is about to take a
// stamp, so whoever reads the counter first and then a zero there knows that all the thread's smaller stamps
// are in its chunks: a silent thread delays nobody.
//
// Synchronization may have no record: then its thread's records up to there have stamps already, and who
// comes after it and records something says so first, by records of the kind After.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "event/event.h"

namespace ravel::stream {

inline constexpr std::uint64_t kMagic = 0x0a1a'0a0d'534c'5652;  ///< "RVLS\r\n\x1a\n"
inline constexpr std::uint32_t kVersion = 4;

inline constexpr std::size_t kHeadBytes = 4096;
inline constexpr std::size_t kNotesBytes = std::size_t{256} * 1024 - kHeadBytes;
inline constexpr std::size_t kChunkBytes = std::size_t{64} * 1024;
inline constexpr std::size_t kChunksAt = kHeadBytes + kNotesBytes;  ///< offset of chunk 0
static_assert(kChunksAt % kChunkBytes == 0);
/// The file grows by so many chunks at once.
inline constexpr std::uint32_t kExtentChunks = 64;

/// In chunk lists and the free list: index + 1, so that zeroed memory means "none".
using ChunkRef = std::uint32_t;

/// Kinds of records that are no events, beside the EventKinds.
enum class Control : std::uint8_t {
  Ordinal = 56,  ///< body: what the ordinals of the records up to the next such record are counted from
  Call,          ///< body: code address of the call; pushed on the thread's stack
  Return,        ///< body: how many calls are popped
  Switch,        ///< has a stamp: the thread's records up to here come before those of whoever runs next
  Time,          ///< body: the thread's local time, which has gone on by more than its records say
};
static_assert(kEventKindCount <= static_cast<int>(Control::Ordinal));

/// Sixteen bytes; `extra` says that a second sixteen follow (RecordExtra).
struct Record {
  std::uint64_t head = 0;
  std::uint64_t body = 0;  ///< Event::target

  // head: kind 6 bits, memory order 3, width 4, extra 1, has_value 1, ordinal 17, place 32. The place is a
  // code address; of a retroactive access, it may be a site instead. The ordinal of a retroactive access is
  // unknown; there the field says how many words it is wider than its width.
  static constexpr unsigned kOrderAt = 6, kWidthAt = 9, kExtraAt = 13, kValueAt = 14, kOrdinalAt = 15,
                            kPlaceAt = 32;
  static constexpr std::uint32_t kOrdinalMax = (1U << 17) - 1;
  static constexpr unsigned kWidthInExtra = 15;  ///< widths up to 8 are themselves, 9 is sixteen
  static constexpr unsigned kWidthSixteen = 9;

  constexpr std::uint8_t kind() const { return head & 0x3f; }
  constexpr MemoryOrder order() const { return static_cast<MemoryOrder>(head >> kOrderAt & 7); }
  constexpr unsigned width_code() const { return head >> kWidthAt & 15; }
  constexpr bool extra() const { return head >> kExtraAt & 1; }
  constexpr bool has_value() const { return head >> kValueAt & 1; }
  constexpr std::uint32_t ordinal() const {
    return static_cast<std::uint32_t>(head >> kOrdinalAt) & kOrdinalMax;
  }
  constexpr std::uint32_t place() const { return static_cast<std::uint32_t>(head >> kPlaceAt); }
};
static_assert(sizeof(Record) == 16);

/// The second half of a long record.
struct RecordExtra {
  std::uint64_t stamp =
      0;  ///< 0: none; one stamp may serve several records of a thread that follow each other
  /// Event::value if has_value; else the width (ranges). For retroactive accesses: thread << 40 | local time;
  /// there has_value says that the place is one of several.
  std::uint64_t value = 0;
};
static_assert(sizeof(RecordExtra) == 16);
inline constexpr unsigned kRetroThreadAt = 40;

/// Code addresses: every module gets a piece of one 32-bit space, in units of four bytes. A call is five
/// bytes long, so no two return addresses share a unit, and 4 * unit - 1 lies within the call.
inline constexpr unsigned kCodeShift = 2;

// A site is a place in the code with the calls around it. Its number is that of its group, times kGroupSites,
// and the last bits of its code address. Number 0 is none.
inline constexpr unsigned kGroupBits = 5;
inline constexpr std::uint32_t kGroupSites = 1U << kGroupBits;

/// The sites that have the same calls around them, and code addresses that differ in the last bits only.
/// Each group is written once, before its number is in any record, and then never changes.
struct SiteGroup {
  std::uint32_t code;    ///< address / kGroupSites
  std::uint32_t caller;  ///< the site of the call around it, whose group has a smaller number; 0: none

  friend bool operator==(const SiteGroup&, const SiteGroup&) = default;
};
inline constexpr std::uint32_t kGroupsPerChunk = kChunkBytes / sizeof(SiteGroup);
inline constexpr std::uint32_t kGroupChunks = 8;
inline constexpr std::uint32_t kMaxGroups = kGroupsPerChunk * kGroupChunks;
/// The numbers of sites are below, code addresses are not.
inline constexpr std::uint32_t kMaxSites = kMaxGroups * kGroupSites;
/// The code address of the first byte of the program itself; those of its libraries come behind.
inline constexpr std::uint32_t kFirstCode = kMaxSites;

struct ChunkHead {
  std::atomic<ChunkRef> next;       ///< of the same thread; 0: none yet
  std::atomic<std::uint32_t> used;  ///< bytes of records that are complete
  std::uint32_t thread;             ///< index of its ThreadSlot
  std::uint32_t number;             ///< 0, 1, ... within the thread
};
inline constexpr std::size_t kChunkHeadBytes = 64;
inline constexpr std::size_t kChunkRecordBytes = kChunkBytes - kChunkHeadBytes;

struct ThreadSlot {
  std::atomic<std::uint32_t> stamping;  ///< 1: is taking a stamp
  std::atomic<ChunkRef> first;          ///< 0: has written nothing yet
  std::uint32_t parent;              ///< index of the slot of the thread that started it; itself: nobody did
  std::uint32_t index;               ///< which child of its parent, from 0: together the fork path
  std::atomic<std::uint32_t> ended;  ///< 1: no more records will come
  std::uint32_t foreign;             ///< 1: not started through the runtime
  char name[40];
};
static_assert(sizeof(ThreadSlot) == 64);
inline constexpr std::uint32_t kSlotsPerChunk = kChunkBytes / sizeof(ThreadSlot);
inline constexpr std::uint32_t kSlotChunks = 64;
inline constexpr std::uint32_t kMaxThreads = kSlotsPerChunk * kSlotChunks;

/// Why a process no longer records.
enum class Stop : std::uint32_t { No, Exit, Exec, SizeCap, NoSpace, TooManyThreads };

struct StreamHead {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t pid;
  std::uint32_t parent_pid;
  std::uint8_t filter;        ///< FilterLevel
  std::uint8_t access_order;  ///< AccessOrder
  std::uint8_t values;        ///< ValueLevel
  std::uint8_t reserved;
  std::uint64_t start_time;  ///< of the process, nanoseconds since the epoch

  alignas(64) std::atomic<std::uint64_t> stamps;  ///< the next stamp; starts at 1

  alignas(64) std::atomic<std::uint32_t> chunks;  ///< that the file has space for
  std::atomic<std::uint32_t> chunks_used;         ///< that were ever handed out
  std::atomic<std::uint64_t> free_chunks;         ///< stack: tag << 32 | ChunkRef of the top; links in `next`
  std::atomic<std::uint32_t> thread_count;
  std::atomic<std::uint32_t> notes_used;  ///< bytes of whole lines
  std::atomic<std::uint32_t> stop;        ///< Stop
  /// 0: none. A thread had no space for a record: what has this stamp or a later one may rest on records that
  /// are missing, and does not count.
  std::atomic<std::uint64_t> end_stamp;

  /// The attached reader: 0 none, else its pid. It sets `pressure` if the program shall wait for free chunks
  /// rather than let the file grow beyond `chunk_limit`.
  alignas(64) std::atomic<std::uint32_t> reader;
  std::atomic<std::uint32_t> pressure;
  std::atomic<std::uint32_t> chunk_limit;
  std::atomic<std::uint32_t> freed;  ///< futex: counts chunks given back
  ChunkRef slot_chunks[kSlotChunks];
  ChunkRef group_chunks[kGroupChunks];
};
static_assert(sizeof(StreamHead) <= kHeadBytes);

// Notes, one a line, words separated by one blank, bytes that are blank, '%' or not printable as %XX:
//   module CODE BASE BIAS SIZE BUILD_ID PATH   the module lies in SIZE bytes from BASE on, with load bias
//   BIAS;
//                        CODE is the unit of BASE; numbers are hexadecimal; BUILD_ID is "-" if it has none
//   argument TEXT        one for each word of the command line
//   directory PATH
//   environment TEXT
//   library NAME         synchronization of this library is not seen
//   unit INDEX LABEL     a label of units of work or a class; INDEX is its UnitId: 0, 1, ...
//   instrumented         code of the program calls the runtime: not only synchronization is recorded
//   outcome KIND STEP    a controlled run was ended there: deadlock, lost-wakeup, livelock or step-limit
//   waiting THREAD OPERATION ADDRESS CODE   of such a run: the thread (index) waits for what is at ADDRESS,
//   or
//                        joins the thread whose index it is, or only is about to do it (0); CODE is its place
//   holding THREAD ADDRESS CODE   of such a run: it has the lock at ADDRESS, taken at CODE
//   departed STEP THREAD EXPECTED FOUND CODE   the run is not what its schedule says; THREAD is a fork
//                        path, CODE where it is
//   benign ADDRESS BYTES TEXT   the program says that races on these bytes (hex) are meant
//   alloc ...            is not a note: allocations are records

}  // namespace ravel::stream
