// The two columns of an events block that say what surrounded each event: its ordinal and its call stack
// (docs/trace-format.md). Traces without them, which all but recorded ones are, have empty columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "event/event.h"
#include "trace/bytes.h"

namespace ravel::rvl {

/// What encoder and decoder expect of the next event of a thread. One thread uses it; it keeps its memory.
class ContextCodec {
 public:
  /// Replaces both columns.
  void encode(std::span<const Event> events, Bytes& ordinals, Bytes& stacks);
  /// Sets both fields of events that have everything else. False: the columns do not fit the events. Stacks
  /// may be unknown ones.
  bool decode(ByteSpan ordinals, ByteSpan stacks, std::span<Event> events);

 private:
  struct State {
    std::uint32_t ordinal = 0;
    std::uint32_t stack = 0;  ///< StackId + 1, so that 0 is "unknown"
  };
  void reset(std::span<const Event> events);
  /// Retroactive accesses follow each other rather than what their thread does now.
  State& state(const Event& event) {
    return kRetroAccesses.has(event.kind) ? retro_ : threads_[event.thread.index()];
  }

  std::vector<State> threads_;  ///< by ThreadId
  State retro_;
};

}  // namespace ravel::rvl
