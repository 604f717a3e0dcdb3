#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "trace/format.h"
#include "trace/interner.h"
#include "trace/line_reader.h"
#include "trace/tiddle.h"
#include "trace/tiddle_line.h"

namespace ravel {
namespace {

/// What the first pass over the file finds out.
struct Survey {
  struct Use {
    std::uint64_t thread;
    std::uint64_t line;
  };
  std::vector<Use> first_uses;  ///< of every thread, in order
  boost::unordered_flat_set<std::uint64_t> seen;
  boost::unordered_flat_set<std::uint64_t> forked;
  bool implied_forks = true;
  bool in_head = true;  ///< no operation so far
  std::uint64_t accesses = 0;
  std::uint64_t values = 0;

  void use(std::uint64_t thread, std::uint64_t line) {
    if (seen.insert(thread).second) first_uses.push_back({thread, line});
  }
};

class TiddleReader final : public TraceReader {
 public:
  TiddleReader(std::string path, LineReader lines) : TraceReader(std::move(path)), lines_(std::move(lines)) {}

  Result<void> survey();
  Result<void> next(std::vector<Event>& batch) override;
  Result<void> rewind() override;
  std::uint64_t line_of(std::uint64_t position) const override {
    const std::uint64_t index = position - first_position_;
    return index < batch_lines_.size() ? batch_lines_[index] : 0;
  }

 private:
  struct ImpliedFork {
    std::uint64_t thread;
    std::uint64_t line;
  };

  Result<TiddleLine> parse(std::string_view text) const;
  void read_directive(std::string_view comment, Survey& survey);
  ThreadId thread(std::uint64_t number);
  PlaceId place(const TiddleLocation& location, std::uint64_t line);
  std::uint64_t named(TargetSpace space, std::string_view name);
  std::uint64_t target(const TiddleOperation& operation);
  void add(const TiddleOperation& operation, std::vector<Event>& batch);
  void push(Event event, std::uint64_t line, std::vector<Event>& batch);

  LineReader lines_;
  std::vector<ImpliedFork> implied_forks_;
  std::uint64_t position_ = 0;  ///< of the last event
  std::uint64_t first_position_ = 1;
  std::vector<std::uint64_t> batch_lines_;
  boost::unordered_flat_map<std::uint64_t, ThreadId> threads_;
  NameInterner variables_{tables_.variables};
  NameInterner locks_{tables_.locks};
  NameInterner conditions_{tables_.conditions};
  NameInterner barriers_{tables_.barriers};
  NameInterner units_{tables_.units};
  PlaceInterner places_{tables_.places};
};

Result<TiddleLine> TiddleReader::parse(std::string_view text) const {
  auto line = parse_tiddle_line(text);
  if (!line) {
    line.error().file = path_;
    line.error().line = lines_.line();
  }
  return line;
}

void TiddleReader::read_directive(std::string_view comment, Survey& survey) {
  if (comment == kNoImpliedForks) survey.implied_forks = false;
  if (comment == kHookOrder) header_.access_order = AccessOrder::Hook;
  if (comment == kFilterSegment) header_.filter = FilterLevel::Segment;
  if (comment == kFilterOwner) header_.filter = FilterLevel::Owner;
  if (comment == kFilterAll) header_.filter = FilterLevel::All;
}

/// Reads the whole file once: syntax, threads that need a fork, how many accesses have values.
Result<void> TiddleReader::survey() {
  Survey survey;
  std::string_view text;
  while (lines_.next(text)) {
    const auto line = parse(text);
    if (!line) return std::unexpected(line.error());
    if (!line->operation) {
      if (survey.in_head) read_directive(line->comment, survey);
      continue;
    }
    survey.in_head = false;
    const TiddleOperation& operation = *line->operation;
    survey.use(operation.thread, lines_.line());
    if (operation.kind == EventKind::Fork) survey.forked.insert(operation.other_thread);
    if (operation.kind == EventKind::Join) survey.use(operation.other_thread, lines_.line());
    if ((kPlainAccesses | kAtomicAccesses).has(operation.kind)) {
      ++survey.accesses;
      if (operation.value) ++survey.values;
    }
    if (operation.sync) survey.accesses += 2;
  }
  if (!lines_.status()) return lines_.status();

  if (survey.values > 0)
    header_.values = survey.values == survey.accesses ? ValueLevel::Exact : ValueLevel::Sampled;
  if (survey.implied_forks)
    for (const auto& [thread, line] : survey.first_uses)
      if (thread != 0 && !survey.forked.contains(thread)) implied_forks_.push_back({thread, line});
  return rewind();
}

ThreadId TiddleReader::thread(std::uint64_t number) {
  const auto [entry, added] = threads_.try_emplace(number, ThreadId(tables_.threads.size()));
  if (added) tables_.threads.push_back(std::to_string(number));
  return entry->second;
}

PlaceId TiddleReader::place(const TiddleLocation& location, std::uint64_t line) {
  switch (location.form) {
    case TiddleLocation::Form::Implied:
      return places_.intern(path_, line, {});
    case TiddleLocation::Form::Unknown:
      return PlaceId();
    case TiddleLocation::Form::Given:
      return places_.intern(location.file, location.line, location.function);
  }
  CHECK(false, "unknown form of location");
}

std::uint64_t TiddleReader::named(TargetSpace space, std::string_view name) {
  switch (space) {
    case TargetSpace::Variable:
      return synthetic_address(space, variables_.intern(name));
    case TargetSpace::Lock:
      return synthetic_address(space, locks_.intern(name));
    case TargetSpace::Condition:
      return synthetic_address(space, conditions_.intern(name));
    case TargetSpace::Barrier:
      return synthetic_address(space, barriers_.intern(name));
    case TargetSpace::Unit:
      return units_.intern(name);
    case TargetSpace::Thread:
    case TargetSpace::Range:
    case TargetSpace::None:
      break;
  }
  CHECK(false, "this space has no names");
}

std::uint64_t TiddleReader::target(const TiddleOperation& operation) {
  if (operation.address) return *operation.address;
  const TargetSpace space = target_space(operation.kind);
  if (space == TargetSpace::Thread) return thread(operation.other_thread).value;
  return space == TargetSpace::None ? 0 : named(space, operation.name);
}

void TiddleReader::push(Event event, std::uint64_t line, std::vector<Event>& batch) {
  event.position = ++position_;
  batch.push_back(event);
  batch_lines_.push_back(line);
}

void TiddleReader::add(const TiddleOperation& operation, std::vector<Event>& batch) {
  const std::uint64_t line = lines_.line();
  Event event;
  event.kind = operation.kind;
  event.order = operation.order;
  event.thread = thread(operation.thread);
  event.target = target(operation);
  event.width = operation.width;
  event.place = place(operation.location, line);
  if (operation.value) event.value = *operation.value;
  if (operation.object_class) event.value = named(TargetSpace::Unit, *operation.object_class);
  event.has_value = operation.value || operation.object_class;
  push(event, line, batch);
  if (!operation.sync) return;

  Event access = event;
  access.target = named(TargetSpace::Variable, std::string(operation.name) + "Var");
  access.width = kSyntheticWidth;
  for (const EventKind kind : {EventKind::Read, EventKind::Write}) {
    access.kind = kind;
    push(access, line, batch);
  }
  event.kind = EventKind::Release;
  push(event, line, batch);
}

Result<void> TiddleReader::next(std::vector<Event>& batch) {
  batch.clear();
  batch_lines_.clear();
  first_position_ = position_ + 1;
  if (position_ == 0) {
    for (const auto& [number, line] : implied_forks_) {
      Event fork;
      fork.kind = EventKind::Fork;
      fork.thread = thread(0);
      fork.target = thread(number).value;
      fork.place = places_.intern(path_, line, {});
      push(fork, line, batch);
    }
  }
  std::string_view text;
  while (batch.size() < kBatchEvents && lines_.next(text)) {
    const auto line = parse(text);
    if (!line) return std::unexpected(line.error());
    if (line->operation) add(*line->operation, batch);
  }
  return lines_.status();
}

Result<void> TiddleReader::rewind() {
  position_ = 0;
  return lines_.rewind();
}

const RegisterFormat kTiddle({.name = "tiddle",
                              .extension = ".tid",
                              .summary = "Tiddle, the trace language of Sadowski 2012, for people",
                              .open = open_tiddle,
                              .create = create_tiddle});

}  // namespace

Result<std::unique_ptr<TraceReader>> open_tiddle(const std::string& path) {
  auto lines = LineReader::open(path, LineReader::Rewinding::Always);
  if (!lines) return std::unexpected(lines.error());
  auto reader = std::make_unique<TiddleReader>(path, std::move(*lines));
  if (auto surveyed = reader->survey(); !surveyed) return std::unexpected(surveyed.error());
  return reader;
}

Result<std::vector<Expectation>> read_expectations(const std::string& path) {
  constexpr std::string_view kWord = "expect";
  auto lines = LineReader::open(path);
  if (!lines) return std::unexpected(lines.error());
  std::vector<Expectation> expectations;
  std::string_view text;
  while (lines->next(text)) {
    // Only lines that are comments: what an operation's line says is not looked at, so it need not be right.
    const std::size_t hash = text.find_first_not_of(" \t");
    if (hash == std::string_view::npos || text[hash] != '#') continue;
    const auto line = parse_tiddle_line(text);
    if (!line) return fail(line.error().message, path, lines->line());
    std::string_view comment = line->comment;
    if (!comment.starts_with(kWord)) continue;
    comment.remove_prefix(kWord.size());
    if (!comment.starts_with(' ')) continue;  // "expected", "expects": prose
    const std::size_t begin = std::min(comment.find_first_not_of(' '), comment.size());
    const std::size_t colon = comment.find(':');
    if (colon == std::string_view::npos || colon <= begin)
      return fail("expected: # expect ANALYSIS: FINDINGS", path, lines->line());
    std::string_view findings = comment.substr(colon + 1);
    findings.remove_prefix(std::min(findings.find_first_not_of(' '), findings.size()));
    expectations.push_back(
        {std::string(comment.substr(begin, colon - begin)), std::string(findings), lines->line()});
  }
  if (!lines->status()) return std::unexpected(lines->status().error());
  return expectations;
}

}  // namespace ravel
