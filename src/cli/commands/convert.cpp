// ravel convert: one trace, another format.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "trace/format.h"

namespace ravel {
namespace {

class Convert : public Command {
 public:
  std::string_view name() const override { return "convert"; }
  std::string_view summary() const override { return "Convert a trace to another format"; }

  void define(CLI::App& app) override {
    app.add_option("IN", input_, "Trace to read")->required()->type_name("FILE");
    app.add_option("OUT", output_, "Trace to write; it appears when it is complete")
        ->required()
        ->type_name("FILE");
    add_format(app, "--from", from_, "Format of IN (without it: by extension)");
    add_format(app, "--to", to_, "Format of OUT (without it: by extension)");
    app.add_flag("--lenient", lenient_,
                 "Drop and count events that break a rule instead of stopping at the first");
    app.add_flag("--quiet,-q", quiet_, "No notes and no progress");
    app.footer("Formats:\n" + format_list() +
               "\nExamples:\n  ravel convert run.rvl run.std\n  ravel convert --from std log.txt run.rvl");
  }

  Result<int> run(Session& session) override {
    Console& console = session.console;
    console.set_quiet(quiet_);
    const auto format = find_format(to_, output_);
    if (!format) return std::unexpected(format.error());
    if ((*format)->create == nullptr)
      return fail(fmt::format("the format '{}' can be read but not written", (*format)->name), output_);
    auto reader = open_trace(input_, from_, lenient_ ? Rules::Lenient : Rules::Strict);
    if (!reader) return std::unexpected(reader.error());
    auto writer = (*format)->create(output_, (*reader)->header());
    if (!writer) return std::unexpected(writer.error());
    if (auto copied = copy(**reader, **writer, console); !copied) return std::unexpected(copied.error());
    for (const std::string& note : (*reader)->notes()) console.note(fmt::format("{}: {}", input_, note));
    for (const std::string& loss : (*writer)->losses())
      console.note(fmt::format("{}: lost: {}", output_, loss));
    return 0;
  }

 private:
  Result<void> copy(TraceReader& reader, TraceWriter& writer, Console& console) {
    std::vector<Event> batch;
    while (true) {
      if (auto read = reader.next(batch); !read) return read;
      if (batch.empty()) return writer.finish(reader.tables());
      if (auto written = writer.write(batch, reader.tables()); !written) return written;
      console.progress(input_, batch.back().position);
    }
  }

  static std::string format_list() {
    std::string text;
    for (const TraceFormat* format : trace_formats())
      text += fmt::format("  {:<10}{:<8}{}\n", format->name, format->extension, format->summary);
    return text;
  }

  std::string input_;
  std::string output_;
  std::string from_;
  std::string to_;
  bool lenient_ = false;
  bool quiet_ = false;
};

const RegisterCommand<Convert> kRegister;

}  // namespace
}  // namespace ravel
