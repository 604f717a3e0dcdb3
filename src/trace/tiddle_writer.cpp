#include <fmt/format.h>

#include "trace/line_reader.h"
#include "trace/output_file.h"
#include "trace/tiddle.h"
#include "trace/tiddle_line.h"
#include "trace/tiddle_text.h"

namespace ravel {
namespace {

/// Writes what reads back as the same events: all forks explicit, a location wherever the line itself is not
/// the place.
class TiddleWriter final : public TraceWriter {
 public:
  explicit TiddleWriter(OutputFile file) : file_(std::move(file)) {}

  Result<void> begin(const TraceHeader& header);
  Result<void> write(std::span<const Event> events, const Tables& tables) override;
  Result<void> finish(const Tables& tables) override;
  std::vector<std::string> losses() const override;

 private:
  void comment(std::string_view text) {
    text_ += fmt::format("# {}\n", text);
    ++line_;
  }
  void introduce(ThreadId thread, const Tables& tables);
  Result<void> add(const Event& event, const Tables& tables);

  OutputFile file_;
  std::string text_;        ///< lines of the current call
  std::uint64_t line_ = 1;  ///< number of the next line
  ThreadNumbers numbers_;
  std::vector<bool> introduced_;  ///< by ThreadId
  TiddleLosses losses_;
  bool has_command_ = false;
};

Result<void> TiddleWriter::begin(const TraceHeader& header) {
  comment(kNoImpliedForks);
  if (header.access_order == AccessOrder::Hook) comment(kHookOrder);
  if (header.filter == FilterLevel::Segment) comment(kFilterSegment);
  if (header.filter == FilterLevel::Owner) comment(kFilterOwner);
  if (header.filter == FilterLevel::All) comment(kFilterAll);
  has_command_ = !header.command.empty();
  return file_.write(text_);
}

/// Says the name of a thread that Tiddle has to call by a number.
void TiddleWriter::introduce(ThreadId thread, const Tables& tables) {
  if (thread.index() >= introduced_.size()) introduced_.resize(thread.index() + 1);
  if (introduced_[thread.index()]) return;
  introduced_[thread.index()] = true;
  const std::uint64_t number = numbers_.number(thread, tables);
  const std::string name = tables.thread_name(thread);
  if (std::to_string(number) == name) return;
  std::string printable;
  for (const char c : name) printable += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  comment(fmt::format("thread {} is {}", number, printable));
}

Result<void> TiddleWriter::add(const Event& event, const Tables& tables) {
  introduce(event.thread, tables);
  if (target_space(event.kind) == TargetSpace::Thread) introduce(event.other_thread(), tables);
  const auto text = tiddle_text(event, tables, numbers_, losses_);
  if (!text) return std::unexpected(text.error());
  text_ += *text;
  if (!event.place.valid()) {
    text_ += " @?";
  } else {
    if (event.place.index() >= tables.places.size())
      return fail(fmt::format("event {} has a place without a name", event.position));
    const Place& place = tables.places[event.place.index()];
    if (place.line != line_ || place.file != file_.path() || !place.function.empty()) {
      const auto location = tiddle_location(place);
      if (!location)
        return fail("Tiddle cannot name the place " + quoted(place.text() + ":" + place.function));
      text_ += " @" + *location;
    }
  }
  text_ += '\n';
  ++line_;
  return {};
}

Result<void> TiddleWriter::write(std::span<const Event> events, const Tables& tables) {
  text_.clear();
  for (const Event& event : events)
    if (auto added = add(event, tables); !added) return added;
  return file_.write(text_);
}

Result<void> TiddleWriter::finish(const Tables& /*tables*/) { return file_.commit(); }

std::vector<std::string> TiddleWriter::losses() const {
  std::vector<std::string> all;
  if (losses_.values > 0) all.push_back(fmt::format("{} values", losses_.values));
  if (losses_.orders > 0) all.push_back(fmt::format("{} memory orders", losses_.orders));
  if (has_command_) all.emplace_back("the command that was recorded");
  return all;
}

}  // namespace

Result<std::unique_ptr<TraceWriter>> create_tiddle(const std::string& path, const TraceHeader& header) {
  auto file = OutputFile::create(path);
  if (!file) return std::unexpected(file.error());
  auto writer = std::make_unique<TiddleWriter>(std::move(*file));
  if (auto begun = writer->begin(header); !begun) return std::unexpected(begun.error());
  return writer;
}

}  // namespace ravel
