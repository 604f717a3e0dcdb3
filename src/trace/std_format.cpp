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
  explicit Column(std::vector<std::string>& names) : interner_(names) {}

  /// Index of the name; nothing if it is none. A known name was checked when it was new.
  std::optional<std::uint32_t> find(std::string_view name, const NameKey& key) {
    if (key == last_key_ && key.whole && last_) return last_;
    const auto index = interner_.intern(name, key, is_std_name);
    last_key_ = key;
    last_ = index;
    return index;
  }
  std::optional<std::uint32_t> find(std::string_view name) { return find(name, NameKey(name)); }
  void prefetch(const NameKey& key) const { interner_.prefetch(key); }

 private:
  NameInterner interner_;
  NameKey last_key_{{}};
  std::optional<std::uint32_t> last_;
};

/// A line taken apart, its names not yet looked up.
struct Parts {
  std::string_view line;
  std::string_view thread;
  std::string_view operand;
  NameKey operand_key{{}};
  std::uint64_t location = 0;
  EventKind kind{};
  bool has_operand = false;
  const char* wrong = nullptr;  ///< what is, if anything
};

/// What is wrong, or null.
const char* split_operation(std::string_view text, Parts& parts) {
  parts.operand = {};
  const std::size_t open = text.find('(');
  parts.has_operand = open != std::string_view::npos;
  if (parts.has_operand) {
    if (text.back() != ')') return "the operation does not end with ')'";
    parts.operand = text.substr(open + 1, text.size() - open - 2);
    text = text.substr(0, open);
  }
  const auto found = std::ranges::find(kOperations, text, &Operation::name);
  if (found == kOperations.end()) return "unknown operation";
  parts.kind = found->kind;
  parts.operand_key = NameKey(parts.operand);
  return nullptr;
}

/// What is wrong, or null.
const char* split(std::string_view line, Parts& parts) {
  if (line.empty()) return "the line is empty";
  const std::size_t first = line.find('|');
  const std::size_t second = first == std::string_view::npos ? first : line.find('|', first + 1);
  if (second == std::string_view::npos) return "expected: thread|operation|location";
  parts.thread = line.substr(0, first);
  if (const char* wrong = split_operation(line.substr(first + 1, second - first - 1), parts)) return wrong;
  const char* const end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data() + second + 1, end, parts.location);
  if (error != std::errc() || stop != end) return "the location is not a 64-bit number";
  return nullptr;
}

// Lines taken apart before the first of them is looked up, so that the memory for them all is on its way.
constexpr std::size_t kLinesAhead = 16;

class StdReader final : public TraceReader {
 public:
  StdReader(std::string path, LineReader lines) : TraceReader(std::move(path)), lines_(std::move(lines)) {}

  Result<void> next(std::vector<Event>& batch) override;
  Result<void> rewind() override { return lines_.rewind(); }
  std::uint64_t line_of(std::uint64_t position) const override { return position; }

 private:
  std::span<Parts> split_some(std::size_t most);
  const char* resolve(const Parts& parts, Event& event);
  PlaceId place(std::uint64_t location);

  LineReader lines_;
  std::array<Parts, kLinesAhead> parts_;
  Column threads_{tables_.threads};
  Column variables_{tables_.variables};
  Column locks_{tables_.locks};
  NameInterner units_{tables_.units};
  PlaceInterner places_{tables_.places};
  std::vector<PlaceId> small_places_;  ///< by location
};

/// The next lines that are in memory together, at most `most`; none at the end of the file or at an error.
std::span<Parts> StdReader::split_some(std::size_t most) {
  std::size_t count = 0;
  std::string_view line;
  while (count < std::min(most, kLinesAhead) &&
         (lines_.next_at_hand(line) || (count == 0 && lines_.next(line)))) {
    Parts& parts = parts_[count++];
    parts.line = line;
    parts.wrong = split(line, parts);
    if (parts.wrong == nullptr && is_access(parts.kind)) variables_.prefetch(parts.operand_key);
  }
  return std::span(parts_).first(count);
}

/// What is wrong, or null.
const char* StdReader::resolve(const Parts& parts, Event& event) {
  if (parts.wrong != nullptr) return parts.wrong;
  const auto thread = threads_.find(parts.thread);
  if (!thread) return "the thread is not a name";
  event.thread = ThreadId(*thread);
  event.kind = parts.kind;
  event.place = place(parts.location);
  const TargetSpace space = target_space(event.kind);
  if (space == TargetSpace::Unit) {
    const auto index = units_.intern(parts.operand, parts.operand_key, is_std_label);
    if (!index) return "the label is not a name";
    event.target = *index;
    return nullptr;
  }
  if (!parts.has_operand) return "the operation has no operand";
  Column& column = space == TargetSpace::Variable ? variables_
                   : space == TargetSpace::Lock   ? locks_
                                                  : threads_;
  const auto index = column.find(parts.operand, parts.operand_key);
  if (!index) return "the operand is not a name";
  event.target = space == TargetSpace::Thread ? *index : synthetic_address(space, *index);
  if (space == TargetSpace::Variable) event.width = kSyntheticWidth;
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
  while (batch.size() < kBatchEvents) {
    const std::span<Parts> some = split_some(kBatchEvents - batch.size());
    if (some.empty()) break;
    std::uint64_t line = lines_.line() - some.size();
    for (const Parts& parts : some) {
      Event event;
      event.position = ++line;
      if (const char* wrong = resolve(parts, event))
        return fail(
            parts.line.empty() ? std::string(wrong) : fmt::format("{}: {}", wrong, quoted(parts.line)), path_,
            line);
      batch.push_back(event);
    }
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
