// ravel run: a program runs, and what its threads do is analysed meanwhile.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/chain.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/findings_output.h"
#include "cli/recording_arguments.h"
#include "record/recording.h"
#include "trace/checked_reader.h"
#include "trace/spool_reader.h"

namespace ravel {
namespace {

constexpr std::string_view kFooter =
    R"(The program's standard input, output and exit code are its own; findings
come after it has ended, and make the exit code 66.

Examples:
  ravel-c++ -g -O1 prog.cpp -o prog && ravel run -- ./prog
  ravel run --with hb,lockset --json -o findings.json -- ./prog --fast)";

// What a process may be ahead of its analyses: 256 chunks of 64 KiB.
constexpr std::uint32_t kChunkLimit = 256;

class Run : public Command {
 public:
  std::string_view name() const override { return "run"; }
  std::string_view summary() const override {
    return "Run a program and find the concurrency errors of this run";
  }

  void define(CLI::App& app) override {
    app.add_option("--with", with_, "Analyses to run, or: all, default")
        ->type_name("LIST")
        ->check(analysis_list());
    program_.define(app);
    findings_.define(app);
    app.add_flag("--quiet,-q", quiet_, "No notes");
    app.footer(std::string(kFooter));
  }

  Result<int> run(Session& session) override {
    Console& console = session.console;
    console.set_quiet(quiet_);
    const auto infos = find_analyses(with_);
    if (!infos) return std::unexpected(infos.error());
    FollowOptions options;
    options.record = program_.options();
    std::error_code error;
    options.directory = std::filesystem::temp_directory_path(error).string();
    if (error)
      return fail(fmt::format("no directory for temporary files: {}", error.message()), temporary_name());
    options.chunk_limit = kChunkLimit;

    const std::string command = fmt::format("{}", fmt::join(shell_words(options.record.command), " "));
    std::mutex mutex;
    FindingStore store;
    RunNotes notes;
    const auto analyze_one = [&](const RecordedProcess& process,
                                 std::unique_ptr<TraceReader> reader) -> Result<void> {
      const std::string stream = reader->path();
      if (std::ranges::any_of(*infos, [](const AnalysisInfo* info) { return info->repeats; })) {
        auto spool = SpoolReader::open(std::move(reader), options.directory);
        if (!spool) return std::unexpected(spool.error());
        reader = std::move(*spool);
      }
      CheckedReader checked(std::move(reader), Rules::Lenient);
      std::vector<std::string> names_missing;
      auto findings = analyze(checked, *infos, {}, &names_missing);
      if (!findings) return std::unexpected(findings.error());
      const std::lock_guard lock(mutex);
      notes.instrumented |= checked.header().instrumented;
      for (Finding& finding : *findings) {
        // The stream is gone when the user reads this; the run is what the evidence is about.
        for (Evidence& evidence : finding.evidence)
          if (evidence.scope == stream) evidence.scope = process.first ? command : scope_of(command, process);
        store.add(std::move(finding));
      }
      notes.texts.insert(notes.texts.end(), names_missing.begin(), names_missing.end());
      for (const std::string& note : checked.notes())
        notes.texts.push_back(fmt::format("process {}: {}", process.pid, note));
      return {};
    };
    const auto end = run_recorded(options, analyze_one);
    if (!end) return std::unexpected(end.error());
    if (auto told = tell_about_run(console, options.record.command[0], *end, notes); !told)
      return std::unexpected(told.error());
    return findings_.deliver(
        console, store,
        {.traces = {command}, .next_command = "ravel explain {rule}", .target_exit = end->exit_code});
  }

 private:
  static std::string temporary_name() {
    const char* const variable = std::getenv("TMPDIR");
    return variable == nullptr ? "/tmp" : variable;
  }

  static std::string scope_of(const std::string& command, const RecordedProcess& process) {
    return fmt::format("{} (process {})", command, process.pid);
  }

  RecordingArguments program_;
  FindingsOutput findings_;
  std::string with_ = "default";
  bool quiet_ = false;
};

const RegisterCommand<Run> kRegister;

}  // namespace
}  // namespace ravel
