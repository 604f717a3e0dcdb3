// Recorder: puts events into the current thread's part of the stream.
#pragma once

#include <cstdint>

#include "event/event.h"
#include "event/levels.h"
#include "event/stream.h"
#include "runtime/code.h"
#include "runtime/stream_writer.h"
#include "runtime/thread.h"

namespace ravel::rt {

/// The process' stream and whether it takes records.
struct Recorder {
  StreamWriter stream;
  FilterLevel filter = FilterLevel::Owner;
  bool recording = false;
  bool told_atomic = false;  ///< the stream has an atomic access that was reported late
  bool values = false;       ///< accesses are recorded with their values: only one thread runs at a time
};
extern Recorder recorder;

struct SyncEvent {
  EventKind kind;
  MemoryOrder order = MemoryOrder::None;
  std::uint64_t target = 0;
  std::uint32_t width = 0;
  Pc pc = 0;
  std::uint64_t value = 0;  ///< if Recorder::values and has_value
  bool has_value = false;
  bool alone = false;  ///< nobody else can use the same atomic variable meanwhile
  bool hides = false;  ///< who comes after it tells so: if it is recorded, it seems to order nothing
};

/// An event with its place in the order of all synchronization. If it is one of kTimeSteps, the thread's
/// local time goes on.
void record_sync(Thread& self, const SyncEvent& event);
/// What an event that hides (order.h) leaves for others, without a record.
void pass_sync(Thread& self, const SyncEvent& event);
/// The thread comes after another one's local time; relaxed: what follows its next acquire fence does.
void record_after(Thread& self, std::uint32_t thread, std::uint64_t time, MemoryOrder order);
/// In a controlled run: another thread goes on, and what it records comes after all that this one has.
void record_switch(Thread& self);
/// An event of this thread that only its own order matters for.
void record_access(Thread& self, EventKind kind, std::uintptr_t address, std::uint64_t bytes,
                   std::uint32_t place);
/// The value of the thread's last write, if it is to be recorded, is in memory by now. Every later hook of
/// the thread asks first.
RAVEL_NOINLINE void record_written_value(Thread& self);
RAVEL_INLINE void settle(Thread& self) {
  if (self.written_value != nullptr) [[unlikely]]
    record_written_value(self);
}
/// The heap reaches so far.
void grow_heap(std::uintptr_t from, std::uintptr_t to);
/// A large block is gone, and others may come in its place.
void forget_bare_pages();
/// An access that a cell remembers: a slot of it (shadow.h).
struct Remembered {
  std::uint64_t slot;
  bool is_write;
};
/// Records accesses of whichever thread that only this cell knows of. False: recording has stopped.
bool record_remembered(Thread& self, std::uintptr_t cell_address, const Remembered* accesses,
                       std::size_t count);
/// Memory is given to the program or taken back.
void record_range(Thread& self, EventKind kind, std::uintptr_t address, std::uint64_t bytes, Pc pc);

}  // namespace ravel::rt
