// The two columns of an events block that say what surrounded each event: its ordinal and its call stack
// (docs/trace-format.md). Traces without them, which all but recorded ones are, have empty columns.
#pragma once

#include <span>
#include <vector>

#include "event/event.h"
#include "trace/bytes.h"
#include "trace/rvl_model.h"

namespace ravel::rvl {

/// Reads both columns. One thread uses it; it keeps its memory.
class ContextDecoder {
 public:
  /// Sets both fields of events that have everything else. False: the columns do not fit the events. Stacks
  /// may be unknown ones.
  bool decode(ByteSpan ordinals, ByteSpan stacks, std::span<Event> events);

 private:
  std::vector<Surroundings> threads_;  ///< by ThreadId
  Surroundings retro_;
};

}  // namespace ravel::rvl
