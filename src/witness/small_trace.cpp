#include "witness/small_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/tiddle.h"
#include "trace/tiddle_text.h"

namespace ravel {

std::optional<std::size_t> SmallTrace::index_of(std::uint64_t position) const {
  const auto found = std::ranges::lower_bound(events, position, {}, &Event::position);
  if (found == events.end() || found->position != position) return std::nullopt;
  return static_cast<std::size_t>(found - events.begin());
}

Result<SmallTrace> collect(TraceReader& reader, std::size_t limit) {
  SmallTrace trace;
  std::vector<Event> batch;
  do {
    if (auto read = reader.next(batch); !read) return std::unexpected(read.error());
    trace.events.insert(trace.events.end(), batch.begin(), batch.end());
    if (trace.events.size() > limit)
      return fail(fmt::format("the trace has more than {} events, too many for this command", limit),
                  reader.path());
  } while (!batch.empty());
  trace.header = reader.header();
  trace.tables = reader.tables();
  return trace;
}

MemoryReader reader_of(const SmallTrace& trace, std::size_t batch_events) {
  return MemoryReader(trace.header, trace.tables, trace.events, batch_events);
}

std::string to_tiddle(const SmallTrace& trace) {
  std::string text = fmt::format("# {}\n", kNoImpliedForks);
  ThreadNumbers numbers;
  TiddleLosses losses;
  for (const Event& event : trace.events) {
    const auto line = tiddle_text(event, trace.tables, numbers, losses);
    text += line ? *line + "\n" : fmt::format("# {}\n", line.error().text());
  }
  return text;
}

bool uses_block(const Event& event, const Event& block) {
  switch (target_space(event.kind)) {
    case TargetSpace::Variable:
    case TargetSpace::Range:
      return overlap(event, block);
    case TargetSpace::Lock:
    case TargetSpace::Condition:
    case TargetSpace::Barrier:
      return event.target - block.target < block.width;
    case TargetSpace::Thread:
    case TargetSpace::Unit:
    case TargetSpace::None:
      return false;
  }
  return false;
}

}  // namespace ravel
