#include "trace/checked_reader.h"

#include <fmt/format.h>

namespace ravel {
namespace {

/// ": l", what the event was about; nothing for events without a target.
std::string object_text(const Event& event, const Tables& tables) {
  switch (target_space(event.kind)) {
    case TargetSpace::Variable:
    case TargetSpace::Lock:
    case TargetSpace::Condition:
    case TargetSpace::Barrier:
      return ": " + tables.name(target_space(event.kind), event.address());
    case TargetSpace::Thread:
      return ": thread " + tables.thread_name(event.other_thread());
    case TargetSpace::Unit:
      return event.unit().index() < tables.units.size() ? ": " + tables.units[event.unit().index()] : "";
    case TargetSpace::Range:
      return fmt::format(": {:#x}", event.address());
    case TargetSpace::None:
      return "";
  }
  CHECK(false, "unknown target space");
}

}  // namespace

CheckedReader::CheckedReader(std::unique_ptr<TraceReader> source, Rules rules)
    : TraceReader(source->path()), source_(std::move(source)), rules_(rules) {}

Error CheckedReader::explain(const WellFormed::Violation& violation) const {
  const Event& event = violation.event;
  return {.message = fmt::format("thread {} {}{} (event {})", tables().thread_name(event.thread),
                                 rule_text(violation.rule), object_text(event, tables()), event.position),
          .file = path(),
          .line = line_of(event.position)};
}

Result<void> CheckedReader::next(std::vector<Event>& batch) {
  do {
    if (auto read = source_->next(batch); !read) return read;
    if (batch.empty()) return {};
    if (const auto violation = well_formed_.filter(batch, rules_ == Rules::Lenient))
      return std::unexpected(explain(*violation));
  } while (batch.empty());  // all filtered: an empty batch would mean the end
  return {};
}

Result<void> CheckedReader::rewind() {
  if (auto done = source_->rewind(); !done) return done;
  well_formed_ = {};
  return {};
}

std::vector<std::string> CheckedReader::notes() const {
  std::vector<std::string> all = source_->notes();
  for (const TraceRule rule : kTraceRules) {
    if (const std::uint64_t count = well_formed_.dropped(rule); count > 0)
      all.push_back(fmt::format("{} {} were dropped", count, rule_dropped(rule)));
  }
  if (well_formed_.reentrant() > 0)
    all.push_back(fmt::format("{} re-entrant acquires were filtered", well_formed_.reentrant()));
  if (well_formed_.non_nested() > 0)
    all.push_back(fmt::format("{} releases out of nested order", well_formed_.non_nested()));
  return all;
}

Result<std::unique_ptr<TraceReader>> open_trace(const std::string& path, std::string_view format_name,
                                                Rules rules) {
  const auto format = find_format(format_name, path);
  if (!format) return std::unexpected(format.error());
  auto source = (*format)->open(path);
  if (!source) return std::unexpected(source.error());
  return std::make_unique<CheckedReader>(std::move(*source), rules);
}

}  // namespace ravel
