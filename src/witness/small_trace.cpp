#include "witness/small_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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

std::string to_tiddle(const Event& event, const Tables& tables) {
  std::string line = fmt::format("{} {}", mnemonic(event.kind), tables.thread_name(event.thread));
  const TargetSpace space = target_space(event.kind);
  switch (space) {
    case TargetSpace::Variable:
    case TargetSpace::Lock:
    case TargetSpace::Condition:
    case TargetSpace::Barrier:
      line += " " + tables.name(space, event.target);
      break;
    case TargetSpace::Thread:
      line += " " + tables.thread_name(event.other_thread());
      break;
    case TargetSpace::Unit:
      line += " " + (event.unit().index() < tables.units.size() ? tables.units[event.unit().index()]
                                                                : fmt::format("#{}", event.target));
      break;
    case TargetSpace::Range:
      line += fmt::format(" {:#x} {}", event.target, event.width);
      break;
    case TargetSpace::None:
      break;
  }
  if (event.order != MemoryOrder::None) line += fmt::format(" {}", order_name(event.order));
  if (event.has_value) line += fmt::format(" {}", event.value);
  return line;
}

std::string to_tiddle(const SmallTrace& trace) {
  std::string text;
  for (const Event& event : trace.events)
    fmt::format_to(std::back_inserter(text), "{}\n", to_tiddle(event, trace.tables));
  return text;
}

}  // namespace ravel
