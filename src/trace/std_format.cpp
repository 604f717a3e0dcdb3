// STD (.std), the text format of RAPID: one event a line, "thread|operation(operand)|location".
//
//   acq(l) rel(l) req(l)   r(x) w(x)   fork(t) join(t)   begin(label) end(label), also without a label
// An operand is any text without white space and may have brackets of its own. The location is a number.
#include "trace/std_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "trace/format.h"
#include "trace/interner.h"
#include "trace/line_reader.h"
#include "trace/output_file.h"

namespace ravel {
namespace {

struct Operation {
  std::string_view name;
  EventKind kind;
};
constexpr std::array kOperations = {
    Operation{"r", EventKind::Read},      Operation{"w", EventKind::Write},
    Operation{"acq", EventKind::Acquire}, Operation{"rel", EventKind::Release},
    Operation{"req", EventKind::Request}, Operation{"fork", EventKind::Fork},
    Operation{"join", EventKind::Join},   Operation{"begin", EventKind::UnitBegin},
    Operation{"end", EventKind::UnitEnd},
};

/// No white space, no bars, nothing unprintable.
bool is_std_name(std::string_view name) {
  return !name.empty() && std::ranges::none_of(name, [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '|' || c == '\x7f';
  });
}

// Locations below are looked up in a vector: lines of source files.
constexpr std::uint64_t kSmallLocations = 1 << 20;

/// A unit of work may have no label.
bool is_std_label(std::string_view label) { return label.empty() || is_std_name(label); }

/// An interner that remembers the last name: traces come in runs of one thread and few variables.
class Column {
 public:
  explicit Column(std::vector<std::string>& names) : names_(names), interner_(names) {}

  /// Index of the name; nothing if it is none. A known name was checked when it was new.
  std::optional<std::uint32_t> find(std::string_view name) {
    if (last_ < names_.size() && names_[last_] == name) return last_;
    const auto index = interner_.intern(name, is_std_name);
    if (index) last_ = *index;
    return index;
  }

 private:
  std::vector<std::string>& names_;
  NameInterner interner_;
  std::uint32_t last_ = 0;
};

class StdReader final : public TraceReader {
 public:
  StdReader(std::string path, LineReader lines) : TraceReader(std::move(path)), lines_(std::move(lines)) {}

  Result<void> next(std::vector<Event>& batch) override;
  Result<void> rewind() override { return lines_.rewind(); }
  std::uint64_t line_of(std::uint64_t position) const override { return position; }

 private:
  const char* parse(std::string_view line, Event& event);
  const char* parse_operation(std::string_view text, Event& event);
  PlaceId place(std::uint64_t location);

  LineReader lines_;
  Column threads_{tables_.threads};
  Column variables_{tables_.variables};
  Column locks_{tables_.locks};
  NameInterner units_{tables_.units};
  PlaceInterner places_{tables_.places};
  std::vector<PlaceId> small_places_;  ///< by location
};

/// What is wrong, or null.
const char* StdReader::parse_operation(std::string_view text, Event& event) {
  std::string_view operand;
  bool has_operand = false;
  if (const std::size_t open = text.find('('); open != std::string_view::npos) {
    if (text.back() != ')') return "the operation does not end with ')'";
    operand = text.substr(open + 1, text.size() - open - 2);
    text = text.substr(0, open);
    has_operand = true;
  }
  const auto found = std::ranges::find(kOperations, text, &Operation::name);
  if (found == kOperations.end()) return "unknown operation";
  event.kind = found->kind;
  const TargetSpace space = target_space(event.kind);
  if (space == TargetSpace::Unit) {
    const auto index = units_.intern(operand, is_std_label);
    if (!index) return "the label is not a name";
    event.target = *index;
    return nullptr;
  }
  if (!has_operand) return "the operation has no operand";
  Column& column = space == TargetSpace::Variable ? variables_
                   : space == TargetSpace::Lock   ? locks_
                                                  : threads_;
  const auto index = column.find(operand);
  if (!index) return "the operand is not a name";
  event.target = space == TargetSpace::Thread ? *index : synthetic_address(space, *index);
  if (space == TargetSpace::Variable) event.width = kSyntheticWidth;
  return nullptr;
}

/// What is wrong, or null.
const char* StdReader::parse(std::string_view line, Event& event) {
  if (line.empty()) return "the line is empty";
  const char* const end = line.data() + line.size();
  const auto* first = static_cast<const char*>(std::memchr(line.data(), '|', line.size()));
  if (first == nullptr) return "expected: thread|operation|location";
  const auto* second =
      static_cast<const char*>(std::memchr(first + 1, '|', static_cast<std::size_t>(end - first - 1)));
  if (second == nullptr) return "expected: thread|operation|location";

  const auto thread = threads_.find(line.substr(0, static_cast<std::size_t>(first - line.data())));
  if (!thread) return "the thread is not a name";
  event.thread = ThreadId(*thread);
  if (const char* wrong = parse_operation({first + 1, second}, event)) return wrong;

  std::uint64_t location = 0;
  const auto [stop, error] = std::from_chars(second + 1, end, location);
  if (error != std::errc() || stop != end) return "the location is not a 64-bit number";
  event.place = place(location);
  return nullptr;
}

PlaceId StdReader::place(std::uint64_t location) {
  if (location >= kSmallLocations) return places_.intern({}, location, {});
  if (location >= small_places_.size())
    small_places_.resize(std::max(location + 1, small_places_.size() * 2));
  PlaceId& place = small_places_[location];
  if (!place.valid()) place = places_.intern({}, location, {});
  return place;
}

Result<void> StdReader::next(std::vector<Event>& batch) {
  batch.clear();
  std::string_view line;
  while (batch.size() < kBatchEvents && lines_.next(line)) {
    Event event;
    if (const char* wrong = parse(line, event))
      return fail(line.empty() ? std::string(wrong) : fmt::format("{}: {}", wrong, quoted(line)), path_,
                  lines_.line());
    event.position = lines_.line();
    batch.push_back(event);
  }
  return lines_.status();
}

class StdWriter final : public TraceWriter {
 public:
  StdWriter(OutputFile file, const TraceHeader& header)
      : file_(std::move(file)),
        recorded_(header.access_order != AccessOrder::Exact || header.filter != FilterLevel::None) {}

  Result<void> write(std::span<const Event> events, const Tables& tables) override;
  Result<void> finish(const Tables& /*tables*/) override { return file_.commit(); }
  std::vector<std::string> losses() const override;

 private:
  Result<void> add(const Event& event, const Tables& tables);
  Result<std::string> operand(const Event& event, const Tables& tables);

  OutputFile file_;
  std::string text_;
  bool recorded_;  ///< the header says something that STD cannot
  std::uint64_t values_ = 0;
  std::uint64_t widths_ = 0;
  std::uint64_t starts_ = 0;
  bool sources_ = false;
};

Result<std::string> StdWriter::operand(const Event& event, const Tables& tables) {
  const TargetSpace space = target_space(event.kind);
  std::string name;
  if (space == TargetSpace::Thread)
    name = tables.thread_name(event.other_thread());
  else if (space == TargetSpace::Unit)
    name = event.unit().index() < tables.units.size() ? tables.units[event.unit().index()] : "";
  else
    name = tables.name(space, event.address());
  if (!is_std_name(name) && !(name.empty() && space == TargetSpace::Unit))
    return fail(fmt::format("STD cannot name {} (event {})", quoted(name), event.position));
  return name;
}

Result<void> StdWriter::add(const Event& event, const Tables& tables) {
  // A thread's start and end carry nothing that its first and last event do not.
  if (event.kind == EventKind::ThreadStart || event.kind == EventKind::ThreadExit) {
    ++starts_;
    return {};
  }
  const auto operation = std::ranges::find(kOperations, event.kind, &Operation::kind);
  const std::string thread = tables.thread_name(event.thread);
  if (operation == kOperations.end())
    return fail(fmt::format("STD has no operation for the {} of thread {} (event {}); use .tid or .rvl",
                            operation_text(event.kind), thread, event.position));
  if (!is_std_name(thread)) return fail(fmt::format("STD cannot name the thread {}", quoted(thread)));
  const auto name = operand(event, tables);
  if (!name) return std::unexpected(name.error());
  const Place place =
      event.place.index() < tables.places.size() ? tables.places[event.place.index()] : Place{};
  if (name->empty())
    text_ += fmt::format("{}|{}|{}\n", thread, operation->name, place.line);
  else
    text_ += fmt::format("{}|{}({})|{}\n", thread, operation->name, *name, place.line);
  values_ += event.has_value;
  widths_ += is_access(event.kind) && !is_synthetic(event.address());
  sources_ |= !place.file.empty() || !place.function.empty();
  return {};
}

Result<void> StdWriter::write(std::span<const Event> events, const Tables& tables) {
  text_.clear();
  for (const Event& event : events)
    if (auto added = add(event, tables); !added) return added;
  return file_.write(text_);
}

std::vector<std::string> StdWriter::losses() const {
  std::vector<std::string> all;
  if (values_ > 0) all.push_back(fmt::format("{} values", values_));
  if (widths_ > 0) all.push_back(fmt::format("{} widths of accesses", widths_));
  if (starts_ > 0) all.push_back(fmt::format("{} starts and exits of threads", starts_));
  if (sources_) all.emplace_back("source files of places");
  if (recorded_) all.emplace_back("how the trace was recorded (filter, order of accesses)");
  return all;
}

const RegisterFormat kStd({.name = "std",
                           .extension = ".std",
                           .summary = "STD, the text format of RAPID",
                           .open = open_std,
                           .create = create_std});

}  // namespace

Result<std::unique_ptr<TraceReader>> open_std(const std::string& path) {
  auto lines = LineReader::open(path);
  if (!lines) return std::unexpected(lines.error());
  return std::make_unique<StdReader>(path, std::move(*lines));
}

Result<std::unique_ptr<TraceWriter>> create_std(const std::string& path, const TraceHeader& header) {
  auto file = OutputFile::create(path);
  if (!file) return std::unexpected(file.error());
  return std::make_unique<StdWriter>(std::move(*file), header);
}

}  // namespace ravel
