// ravel record: a program runs, its trace is kept.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/following.h"
#include "cli/recording_arguments.h"
#include "cli/run_comparison.h"
#include "cli/run_report.h"
#include "cli/schedule_arguments.h"
#include "cli/scheduled_run.h"
#include "record/temporary_folder.h"

namespace ravel {
namespace {

constexpr std::string_view kFooter =
    R"(The program's standard input, output and exit code are its own. Each further
process it starts, and each program it becomes by exec, gets a trace of its own:
T.PID.rvl beside T.rvl, then T.PID-1.rvl and so on.

With --schedule one thread runs at a time, and T.schedule.json says which one
when: ravel replay repeats the run. The exit code is 66 if the run ends in a
deadlock, or if --check-determinism finds a difference, and 137 if it was
stopped by --time-limit or --step-limit.

Examples:
  ravel-c++ -g -O1 prog.cpp -o prog && ravel record -o prog.rvl -- ./prog
  ravel analyze prog.rvl
  ravel record --schedule=random --seed 7 -o prog.rvl -- ./prog)";

class Record : public Command {
 public:
  std::string_view name() const override { return "record"; }
  std::string_view summary() const override {
    return "Run a program and keep a trace of what its threads did";
  }

  void define(CLI::App& app) override {
    app.add_option("--output,-o", output_, "Trace to write (default: PROG.rvl)")->type_name("FILE");
    program_.define_program(app, true);
    program_.define(app);
    schedule_.define(app);
    app.add_flag("--check-determinism", check_determinism_,
                 "Run twice by the same schedule, and say whether the program does the same both times");
    app.add_flag("--quiet,-q", quiet_, "No notes");
    app.footer(std::string(kFooter));
  }

  Result<int> run(Session& session) override {
    Console& console = session.console;
    console.set_quiet(quiet_);
    if (auto checked = schedule_.check(); !checked) return std::unexpected(checked.error());
    if (check_determinism_ && !schedule_.controlled()) return fail("--check-determinism needs --schedule");
    RunPlan plan = program_.plan(console);
    const std::filesystem::path output =
        output_.empty() ? std::filesystem::path(program_.command()[0]).filename().string() + ".rvl" : output_;
    plan.follow.directory = output.has_parent_path() ? output.parent_path().string() : ".";
    std::optional<ScheduledRun> scheduled;
    if (schedule_.controlled()) {
      auto input = spool_input(console);
      if (!input) return std::unexpected(input.error());
      plan.input = std::move(*input);
      auto begun = ScheduledRun::begin(schedule_, plan, schedule_path(output.string()));
      if (!begun) return std::unexpected(begun.error());
      scheduled.emplace(std::move(*begun));
    }

    auto first = record_once(plan, 0, output, console);
    if (!first) {
      if (scheduled) scheduled->discard();
      return std::unexpected(first.error());
    }
    console.note(fmt::format("{}: {} events of {} process{}; now: ravel analyze {}", output.string(),
                             first->events, first->end.processes, first->end.processes == 1 ? "" : "es",
                             shell_words(std::vector{output.string()})[0]));
    if (!scheduled) return first->exit_code;
    for (const std::string& failure : first->failures) console.error(failure);
    Result<int> code = first->exit_code;
    if (check_determinism_) code = check_again(plan, *first, output, console);
    if (auto ended = scheduled->end(first->end, *first->report, console); !ended)
      return std::unexpected(ended.error());
    return code;
  }

 private:
  struct Recorded {
    RunEnd end;
    std::unique_ptr<RunReport> report;
    std::uint64_t events = 0;
    int exit_code = 0;
    std::vector<std::string> failures;  ///< one line each
  };

  static Result<Recorded> record_once(const RunPlan& plan, unsigned number,
                                      const std::filesystem::path& output, Console& console) {
    const std::string& program = plan.follow.record.command[0];
    Recorded recorded;
    recorded.report = std::make_unique<RunReport>(program, plan.follow.record.schedule);
    TraceKeeper keeper(output, *recorded.report);
    auto end =
        plan.run(number, [&keeper](const RecordedProcess& process, std::unique_ptr<TraceReader> reader) {
          return keeper.follow(process, *reader);
        });
    if (!end) return std::unexpected(end.error());
    recorded.end = std::move(*end);
    if (auto told = recorded.report->tell(console, program, recorded.end); !told)
      return std::unexpected(told.error());
    recorded.events = keeper.events();
    recorded.exit_code = recorded.report->exit_code(recorded.end);
    for (const Finding& failure : recorded.report->failures()) {
      recorded.failures.push_back(
          fmt::format("{}: {}: {}", program, to_string(failure.kind), failure.message));
      recorded.exit_code = kExitFindings;
    }
    return recorded;
  }

  /// Runs the program once more.
  Result<int> check_again(const RunPlan& plan, const Recorded& first, const std::filesystem::path& output,
                          Console& console) const {
    const auto folder = TemporaryFolder::make(plan.follow.directory);
    if (!folder) return std::unexpected(folder.error());
    const std::string again = folder->path() + "/again.rvl";
    const auto second = record_once(plan, 1, again, console);
    if (!second) return std::unexpected(second.error());
    const auto steps = steps_difference(first.end.steps, second->end.steps);
    const auto events = compare_events(output.string(), again);
    if (!events) return std::unexpected(events.error());
    if (!steps && events->difference.empty()) {
      console.note(
          fmt::format("two runs did the same: {} steps, {} events", first.end.steps.steps(), events->events));
      return first.exit_code;
    }
    console.error(fmt::format("two runs of one schedule differ at {}", steps ? *steps : events->difference));
    if (steps && !events->difference.empty())
      console.error(fmt::format("they differ at {}", events->difference));
    console.error("likely cause: " + likely_cause(*first.report));
    return kExitFindings;
  }

  std::string likely_cause(const RunReport& report) const {
    if (schedule_.real_time()) return "time, which is the world's (--real-time)";
    if (schedule_.real_random()) return "random numbers, which are the system's (--real-random)";
    if (!report.unseen_libraries().empty())
      return fmt::format("{}, whose synchronization is not seen", report.unseen_libraries().front());
    if (!report.instrumented()) return "code that was not compiled with ravel-cc or ravel-c++";
    return "what the program gets from outside (files, other processes), code that was not compiled for "
           "ravel, or "
           "the values of addresses";
  }

  RecordingArguments program_;
  ScheduleArguments schedule_;
  std::string output_;
  bool check_determinism_ = false;
  bool quiet_ = false;
};

const RegisterCommand<Record> kRegister;

}  // namespace
}  // namespace ravel
