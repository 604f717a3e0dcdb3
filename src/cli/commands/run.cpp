// ravel run: a program runs, and what its threads do is analysed meanwhile.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/findings_output.h"
#include "cli/following.h"
#include "cli/recording_arguments.h"
#include "cli/run_report.h"
#include "cli/schedule_arguments.h"
#include "cli/scheduled_run.h"
#include "record/temporary_folder.h"

namespace ravel {
namespace {

constexpr std::string_view kFooter =
    R"(The program's standard input, output and exit code are its own; findings
come after it has ended, and make the exit code 66.

With --schedule one thread runs at a time, and PROG.schedule.json in the current
directory says which one when: ravel replay repeats the run. Deadlocks are
findings then. The exit code is 137 if the run was stopped by --time-limit or
--step-limit.

Examples:
  ravel-c++ -g -O1 prog.cpp -o prog && ravel run -- ./prog
  ravel run --with hb,lockset --json -o findings.json -- ./prog --fast
  ravel run --schedule=random --seed 7 -- ./prog)";

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
    program_.define_program(app, true);
    program_.define(app);
    schedule_.define(app);
    findings_.define(app);
    app.add_flag("--quiet,-q", quiet_, "No notes");
    app.footer(std::string(kFooter));
  }

  Result<int> run(Session& session) override {
    Console& console = session.console;
    console.set_quiet(quiet_);
    const auto infos = find_analyses(with_);
    if (!infos) return std::unexpected(infos.error());
    if (auto checked = schedule_.check(); !checked) return std::unexpected(checked.error());
    const auto directory = temporary_directory();
    if (!directory) return std::unexpected(directory.error());
    RunPlan plan = program_.plan(console);
    plan.follow.directory = *directory;
    plan.follow.chunk_limit = kLiveChunkLimit;
    const std::string& program = program_.command()[0];
    std::optional<ScheduledRun> scheduled;
    if (schedule_.controlled()) {
      auto input = spool_input(console);
      if (!input) return std::unexpected(input.error());
      plan.input = std::move(*input);
      const std::string path = std::filesystem::path(program).filename().string() + ".schedule.json";
      auto begun = ScheduledRun::begin(schedule_, plan, path);
      if (!begun) return std::unexpected(begun.error());
      scheduled.emplace(std::move(*begun));
    }

    const std::string command = fmt::format("{}", fmt::join(shell_words(program_.command()), " "));
    RunReport report(command, scheduled ? scheduled->path() : std::string());
    FindingStore store;
    LiveAnalysis analysis(*infos, plan.follow.directory, store, report);
    auto end = plan.run(0, [&](const RecordedProcess& process, std::unique_ptr<TraceReader> reader) {
      return analysis.follow(process, std::move(reader));
    });
    if (end)
      if (auto told = report.tell(console, program, *end); !told) end = std::unexpected(told.error());
    if (!end) {
      if (scheduled) scheduled->discard();
      return std::unexpected(end.error());
    }
    if (scheduled)
      if (auto ended = scheduled->end(*end, report, console); !ended) return std::unexpected(ended.error());
    for (const Finding& failure : report.failures()) store.add(failure);
    return findings_.deliver(
        console, store,
        {.traces = {command}, .next_command = "ravel explain {rule}", .target_exit = report.exit_code(*end)});
  }

 private:
  RecordingArguments program_;
  ScheduleArguments schedule_;
  FindingsOutput findings_;
  std::string with_ = "default";
  bool quiet_ = false;
};

const RegisterCommand<Run> kRegister;

}  // namespace
}  // namespace ravel
