// ravel record: a program runs, its trace is kept.
#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/recording_arguments.h"
#include "record/recording.h"
#include "trace/rvl.h"

namespace ravel {
namespace {

constexpr std::string_view kFooter =
    R"(The program's standard input, output and exit code are its own. Each further
process it starts, and each program it becomes by exec, gets a trace of its own:
T.PID.rvl beside T.rvl, then T.PID-1.rvl and so on.

Examples:
  ravel-c++ -g -O1 prog.cpp -o prog && ravel record -o prog.rvl -- ./prog
  ravel analyze prog.rvl)";

class Record : public Command {
 public:
  std::string_view name() const override { return "record"; }
  std::string_view summary() const override {
    return "Run a program and keep a trace of what its threads did";
  }

  void define(CLI::App& app) override {
    app.add_option("--output,-o", output_, "Trace to write (default: PROG.rvl)")->type_name("FILE");
    program_.define(app);
    app.add_flag("--quiet,-q", quiet_, "No notes");
    app.footer(std::string(kFooter));
  }

  Result<int> run(Session& session) override {
    Console& console = session.console;
    console.set_quiet(quiet_);
    FollowOptions options;
    options.record = program_.options();
    const std::filesystem::path output =
        output_.empty() ? std::filesystem::path(options.record.command[0]).filename().string() + ".rvl"
                        : output_;
    options.directory = output.has_parent_path() ? output.parent_path().string() : ".";

    std::mutex mutex;
    RunNotes notes;
    std::atomic<std::uint64_t> events = 0;
    const auto keep = [&](const RecordedProcess& process,
                          std::unique_ptr<TraceReader> reader) -> Result<void> {
      std::filesystem::path path = output;
      if (!process.first) path.replace_extension(further_extension(process, output));
      auto written = write(*reader, path.string());
      if (!written) return std::unexpected(written.error());
      events += *written;
      const std::lock_guard lock(mutex);
      notes.instrumented |= reader->header().instrumented;
      for (const std::string& note : reader->notes())
        notes.texts.push_back(fmt::format("{}: {}", path.string(), note));
      return {};
    };
    const auto end = run_recorded(options, keep);
    if (!end) return std::unexpected(end.error());
    if (auto told = tell_about_run(console, options.record.command[0], *end, notes); !told)
      return std::unexpected(told.error());
    console.note(fmt::format("{}: {} events of {} process{}; now: ravel analyze {}", output.string(),
                             events.load(), end->processes, end->processes == 1 ? "" : "es",
                             shell_words(std::vector{output.string()})[0]));
    return end->exit_code;
  }

 private:
  /// "PID.rvl", and "PID-N.rvl" for what the same process became by exec.
  static std::string further_extension(const RecordedProcess& process, const std::filesystem::path& output) {
    const std::string number = process.earlier == 0 ? "" : fmt::format("-{}", process.earlier);
    return fmt::format("{}{}{}", process.pid, number, output.extension().string());
  }

  /// The number of events.
  static Result<std::uint64_t> write(TraceReader& reader, const std::string& path) {
    auto writer = rvl::create_writer(path, reader.header());
    if (!writer) return std::unexpected(writer.error());
    std::uint64_t events = 0;
    std::vector<Event> batch;
    while (true) {
      if (auto read = reader.next(batch); !read) return std::unexpected(read.error());
      if (batch.empty()) break;
      events += batch.size();
      if (auto written = (*writer)->write(batch, reader.tables()); !written)
        return std::unexpected(written.error());
    }
    if (auto finished = (*writer)->finish(reader.tables()); !finished)
      return std::unexpected(finished.error());
    return events;
  }

  RecordingArguments program_;
  std::string output_;
  bool quiet_ = false;
};

const RegisterCommand<Record> kRegister;

}  // namespace
}  // namespace ravel
