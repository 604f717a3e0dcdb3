// SmallTrace: a whole trace as a value, unresolved as a reader gives it. What reorderings, the oracle and the
// generator work on; an event is named by its position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "event/event.h"
#include "event/result.h"
#include "trace/header.h"
#include "trace/memory_reader.h"
#include "trace/reader.h"
#include "trace/tables.h"

namespace ravel {

struct SmallTrace {
  TraceHeader header;
  Tables tables;
  std::vector<Event> events;  ///< by position, ascending

  friend bool operator==(const SmallTrace&, const SmallTrace&) = default;

  /// Index in `events` of the event at `position`, if there is one.
  std::optional<std::size_t> index_of(std::uint64_t position) const;
};

/// The rest of a trace. An error if it has more than `limit` events.
Result<SmallTrace> collect(TraceReader& reader, std::size_t limit);

MemoryReader reader_of(const SmallTrace& trace, std::size_t batch_events = kBatchEvents);

/// The trace as a Tiddle file, for messages and golden files. What Tiddle cannot say is a comment that says
/// so.
std::string to_tiddle(const SmallTrace& trace);

/// Events that begin or end the life of a block of memory.
constexpr bool is_block(const Event& event) {
  return event.kind == EventKind::Alloc || event.kind == EventKind::Free;
}
/// Whether `event` uses memory of the block that `block` allocates or frees: its bytes, or a lock in it.
bool uses_block(const Event& event, const Event& block);

/// Whether two events' bytes overlap (accesses and blocks: address and width).
constexpr bool overlap(const Event& a, const Event& b) {
  return a.target < b.target + b.width && b.target < a.target + a.width;
}

/// Two accesses by different threads to a common byte, at least one a write (Sadowski 2012, 7.3) and at least
/// one plain: two atomic accesses are never a data race. Freeing a block counts as a plain write to all of
/// it.
constexpr bool clash(const Event& a, const Event& b) {
  constexpr KindMask kClashing = kAccesses | KindMask::of(EventKind::Free);
  constexpr KindMask kChanging = kWrites | KindMask::of(EventKind::Free);
  return kClashing.has(a.kind) && kClashing.has(b.kind) && a.thread != b.thread && overlap(a, b) &&
         (kChanging.has(a.kind) || kChanging.has(b.kind)) && !(is_atomic(a.kind) && is_atomic(b.kind));
}

constexpr bool reads(EventKind kind) {
  return kind == EventKind::Read || kind == EventKind::AtomicLoad || kind == EventKind::AtomicRmw;
}
constexpr bool is_release(EventKind kind) {
  return kind == EventKind::Release || kind == EventKind::ReleaseShared;
}

}  // namespace ravel
