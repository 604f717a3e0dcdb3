// Thread: what the runtime keeps for each thread of the program, in memory of its own.
//
// A thread's state belongs to that thread; nobody else looks at it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "event/inline_check.h"
#include "event/stream.h"
#include "runtime/order.h"
#include "runtime/platform.h"
#include "runtime/shadow.h"

namespace ravel::rt {

struct Seat;
struct SharedRead;

/// A call that has not returned.
struct CallFrame {
  std::uintptr_t call;   ///< its return address
  std::uintptr_t stack;  ///< the stack pointer then: finds calls that were left by longjmp
  std::uint32_t site;    ///< of the call (site.h); 0: nobody has asked yet
  bool known;            ///< the stream knows of it
};

/// A variable that the thread has used atomically.
struct RecentAtomic {
  std::uintptr_t address;
  std::size_t width;
  std::uint64_t tag;      ///< when its cell was told last,
  std::uint32_t blocks;   ///< and Thread::blocks then
  std::uint32_t version;  ///< AtomicTurns::version when a load was last recorded or needless
  std::uint8_t kind;      ///< as the cell was told
  bool acquired;          ///< by that load
  bool is_known;          ///< there was such a load
};

/// A site that was found (site.h): of a place in the program's own code, within the call of another site.
struct KnownSite {
  std::uintptr_t pc;
  std::uint32_t caller;
  std::uint32_t site;
};

struct KnownBlock {
  std::uintptr_t begin;
  std::uint64_t bytes;
};

struct Thread {
  static constexpr std::size_t kRecentAtomics = 64;
  static constexpr std::size_t kKnownBlocks = 8;
  static constexpr std::size_t kBarePages = 4096;
  static constexpr std::size_t kKnownSites = 512;
  static constexpr std::uint32_t kMaxOpenUnits = 64;

  std::uint64_t hot_tag;      ///< as `tag` if it owns cells, else what no cell has
  std::uint64_t tag;          ///< who and when, as in a cell's word
  std::uint32_t ordinal;      ///< hooks since the last synchronization
  std::uint32_t incarnation;  ///< 0: owns no cells
  std::uint32_t* work;        ///< odd: it is at work on cells (bias.h)
  char* cursor;               ///< of the next record
  char* limit;                ///< of the chunk
  char* accesses;  ///< from here to the cursor, all records are plain accesses of up to eight bytes
  stream::ChunkHead* chunk;
  stream::ThreadSlot* slot;
  CallFrame* calls;           ///< kMaxCalls of them
  std::uint32_t depth;        ///< calls that have not returned; may exceed kMaxCalls
  std::uint32_t floor;        ///< calls below are those of the code a signal has interrupted
  std::uint32_t calls_known;  ///< how many the stream knows of
  std::uint32_t index;        ///< of its slot
  std::uint64_t time;         ///< local time (event.h)
  std::uint64_t time_base;    ///< local time of epoch 0 of this incarnation
  std::uint32_t ordinal_base;
  std::uint32_t children;       ///< threads it has started
  std::uint32_t quiet;          ///< > 0: its hooks are switched off
  std::uint32_t ignoring_sync;  ///< > 0: its synchronization is not recorded
  bool unstamped;               ///< it has records since its last stamp
  bool untold;                  ///< the stream does not know its time, or all that it comes after
  std::uint32_t inside;         ///< > 0: in the runtime, where signals must wait
  std::uint64_t pending_signals;
  std::uint32_t blocks;      ///< pieces of memory it got so far: addresses may mean other variables
  std::uint32_t units_open;  ///< units of work it is in; only kMaxOpenUnits of them are recorded
  std::uint32_t open_units[kMaxOpenUnits];
  RecentAtomic atomics[kRecentAtomics];   ///< each where a hash of its address says
  KnownSite known_sites[kKnownSites];     ///< each where a hash of its place says
  KnownBlock known_blocks[kKnownBlocks];  ///< the latest that the stream knows of
  std::uint32_t next_known_block;
  std::uintptr_t stack_low;  ///< the thread's stack
  std::uintptr_t stack_high;
  void* fiber_of;       ///< for fibers: see fiber.cpp
  void* start_routine;  ///< of a thread that has not begun
  void* start_argument;
  std::uint64_t start_mask;      ///< of signals
  Seat* seat;                    ///< in a controlled run, of a thread that has not begun
  std::uint64_t* written_value;  ///< where the value of the last write belongs, which is not known yet
  std::uintptr_t written_address;
  std::uint64_t written_bytes;
  std::size_t memory;  ///< bytes of this object
  struct Use {
    const void* region;
    std::uint32_t count;  ///< of the thread's uses of it
  };
  static constexpr std::size_t kUses = 256;
  Use uses[kUses];                     ///< of shared regions, each where a hash says
  SharedRead* shared_reads;            ///< its reads of shared words (shared_reads.h)
  std::uint64_t reader_bit;            ///< its bit in them; 0: it keeps none
  std::uint64_t shared_reads_touched;  ///< parts of the table that it has used, a bit each
  struct Turns {
    std::uintptr_t cell;
    std::uint32_t count;  ///< how often the thread came back to it after others
  };
  static constexpr std::size_t kTurns = 2048;
  Turns turns[kTurns];       ///< each where a hash says
  std::uint32_t kept_reads;  ///< that hooks did not see at a glance, as another thread's was in their place
  ThreadOrder order;

  static constexpr std::uint32_t kMaxCalls = 1 << 16;
  /// Pages where no mark of a block was found, each where a hash says: looking again would cost too much.
  std::uint64_t bare_pages[kBarePages];
};
static_assert(offsetof(Thread, hot_tag) == inline_check::kHotTagAt);
static_assert(offsetof(Thread, ordinal) == inline_check::kOrdinalAt);

// The current thread as its hooks of accesses see it: null while they are switched off, or if no access is
// recorded. This makes an idle hook one load and one test. Programs with inlined hooks see it, too.
extern __thread Thread* hot_thread __asm__(RAVEL_INLINE_SYMBOL("thread"))
    __attribute__((tls_model("initial-exec"), visibility("default")));
/// The current thread; null if it is unknown or nothing is recorded.
extern __thread Thread* this_thread __attribute__((tls_model("initial-exec")));

/// Whether accesses are recorded at all.
extern bool sees_accesses;
/// The current thread's hooks are on, unless something has switched them off.
inline void switch_hooks(Thread& self) { hot_thread = self.quiet == 0 && sees_accesses ? &self : nullptr; }

/// Runs the handlers of signals that had to wait (signal.h).
RAVEL_NOINLINE void deliver_pending(Thread& self);

/// Switches the current thread's hooks and interceptors off: for calls into code whose doings are the
/// runtime's business.
class Quiet {
 public:
  Quiet() : thread_(this_thread) {
    if (thread_ == nullptr) return;
    ++thread_->inside;
    if (thread_->quiet++ == 0) hot_thread = nullptr;
  }
  ~Quiet() {
    if (thread_ == nullptr) return;
    --thread_->quiet;
    switch_hooks(*thread_);
    if (--thread_->inside == 0 && thread_->pending_signals != 0) deliver_pending(*thread_);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  Thread* thread_;
};

/// A new thread's state, made by the thread that starts it (or by itself: parent null). Null: recording
/// stopped.
Thread* make_thread(Thread* parent, bool foreign);
/// The calling thread is this one from now on.
void begin_thread(Thread* thread);
/// Sees to it that end_thread is called when the calling thread ends, after all else that it does.
void end_with_thread();
/// The calling thread ends: its last record, and its state is gone.
void end_thread();
/// As reports call the thread.
void name_thread(stream::ThreadSlot& slot, const char* name);
/// The calling thread was started by nobody, but others know its handle.
void remember_first_thread(std::uint32_t index);
/// In a forked child: none of the parent's threads can be joined.
void forget_handles();
/// The current thread; makes a state for one that was not started through the runtime. Null: nothing is
/// recorded.
Thread* current_thread();
/// In a forked child: the calling thread is its only one.
void restart_in_child();

/// Whose slots are those of this incarnation, and what time its epoch 0 is. At first nobody's: never ordered.
struct Incarnation {
  std::uint32_t thread = UINT32_MAX;
  std::uint32_t clock = kNoClock;     ///< in clocks (order.h)
  std::uint64_t time_base = 0;        ///< local time
  ClockTime clock_base = kUnreached;  ///< time on its entry; if it has none, one that no clock covers
};
extern Incarnation incarnations[kIncarnations];

/// Whether the access of a slot is ordered before what the thread does now, for certain.
RAVEL_INLINE bool is_certain(const Thread& self, std::uint64_t slot) {
  const std::uint32_t number = incarnation_of(slot);
  if (number == self.incarnation) return number != 0;
  const Incarnation& who = incarnations[number];
  return self.order.C[who.clock % kMaxClocks] >= who.clock_base + epoch_of(slot) || who.thread == self.index;
}

/// A new local time for the thread.
void advance_time(Thread& self);
/// Makes the hooks' glance right again: it must not overlook anything while a value is missing.
void update_tag(Thread& self);

}  // namespace ravel::rt
