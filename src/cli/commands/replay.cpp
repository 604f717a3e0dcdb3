// ravel replay: a program runs as a schedule says.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/constraint_places.h"
#include "cli/debugger.h"
#include "cli/findings_output.h"
#include "cli/following.h"
#include "cli/recording_arguments.h"
#include "cli/run_report.h"
#include "cli/schedule_arguments.h"
#include "cli/scheduled_run.h"
#include "record/kept_schedule.h"
#include "record/temporary_folder.h"

namespace ravel {
namespace {

constexpr std::string_view kFooter =
    R"(The schedule's command runs in its directory and environment, with the standard
input that was kept beside the schedule. Findings come after it has ended, as
with ravel run; a deadlock is one. The exit code is 66 if there are any, else the
program's own, and 2 if the program cannot do what the schedule says: it is
another program, or has other input.

Examples:
  ravel replay prog.schedule.json
  ravel replay --runs 10 prog.schedule.json
  ravel replay --gdb prog.schedule.json
  ravel replay prog.schedule.json -- ./prog.old --fast)";

/// What the runs came to.
struct Results {
  std::map<std::string, unsigned> outcomes;  ///< how many runs had it
  int exit_code = 0;                         ///< of the first run whose code is not 0
};

class Replay : public Command {
 public:
  std::string_view name() const override { return "replay"; }
  std::string_view summary() const override { return "Run a program again as a schedule says"; }

  void define(CLI::App& app) override {
    app.add_option("SCHEDULE", path_, "Schedule to follow")->required()->type_name("FILE");
    program_.define_program(app, false);
    app.add_option("--runs", runs_, "How often to run it")->type_name("N")->check(at_least_one());
    app.add_flag("--gdb", gdb_, "In gdb, which stops where the last step of the schedule is taken");
    app.add_option("--output,-o", trace_, "Keep a trace of the run here instead of analysing it")
        ->type_name("FILE");
    app.add_option("--with", with_, "Analyses to run, or: all, default")
        ->type_name("LIST")
        ->check(analysis_list());
    program_.define(app);
    findings_.define_without_output(app);
    app.add_flag("--quiet,-q", quiet_, "No notes");
    app.footer(std::string(kFooter));
  }

  Result<int> run(Session& session) override {
    Console& console = session.console;
    console.set_quiet(quiet_);
    auto schedule = KeptSchedule::read(path_);
    if (!schedule) return std::unexpected(schedule.error());
    if (auto checked = check_strategy(schedule->value, path_); !checked)
      return std::unexpected(checked.error());
    auto plan = make_plan(schedule->value, console);
    if (!plan) return std::unexpected(plan.error());
    if (auto checked = check_filter(plan->follow.record.filter, schedule->value); !checked)
      return std::unexpected(checked.error());
    // The runtime gets a copy if it would not understand the places in the file.
    const auto folder = TemporaryFolder::make(plan->follow.directory);
    if (!folder) return std::unexpected(folder.error());
    const auto resolved = resolve_places(*schedule, find_program(plan->follow.record));
    if (!resolved) return std::unexpected(resolved.error());
    if (*resolved) {
      plan->follow.record.schedule = folder->path() + "/schedule.json";
      if (auto written = schedule->write(plan->follow.record.schedule); !written)
        return std::unexpected(written.error());
    }
    if (gdb_) return run_in_debugger(*plan);
    const auto infos = find_analyses(with_);
    if (!infos) return std::unexpected(infos.error());

    command_text_ = fmt::format("{}", fmt::join(shell_words(plan->follow.record.command), " "));
    FindingStore store;
    Results results;
    for (unsigned number = 0; number < runs_; ++number)
      if (auto done = run_once(*plan, number, *infos, store, results, console); !done)
        return std::unexpected(done.error());
    tell(schedule->value, results, console);
    return findings_.deliver(console, store,
                             {.traces = {command_text_},
                              .next_command = "ravel explain {rule}",
                              .target_exit = results.exit_code});
  }

 private:
  Result<RunPlan> make_plan(const Schedule& schedule, Console& console) const {
    RunPlan plan = program_.plan(console);
    RecordOptions& record = plan.follow.record;
    if (record.command.empty()) {
      record.command.assign(schedule.command.begin(), schedule.command.end());
      record.working_directory = schedule.directory;
    }
    if (record.command.empty()) return fail("the schedule has no command: name the program after --", path_);
    record.environment.insert(record.environment.begin(), schedule.environment.begin(),
                              schedule.environment.end());
    record.schedule = std::filesystem::absolute(path_).string();
    const std::filesystem::path trace = trace_;
    if (trace_.empty()) {
      auto directory = temporary_directory();
      if (!directory) return std::unexpected(directory.error());
      plan.follow.directory = *directory;
      plan.follow.chunk_limit = kLiveChunkLimit;
    } else {
      plan.follow.directory = trace.has_parent_path() ? trace.parent_path().string() : ".";
    }
    auto input = find_input(schedule, console);
    if (!input) return std::unexpected(input.error());
    plan.input = std::move(*input);
    return plan;
  }

  /// The file of the program, as exec finds it.
  static std::string find_program(const RecordOptions& record) {
    const std::filesystem::path name = with_run_number(record.command[0], 0);
    if (name.string().contains('/')) return (std::filesystem::path(record.working_directory) / name).string();
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    std::error_code error;
    for (std::string folder; std::getline(folders, folder, ':');)
      if (std::filesystem::exists(folder / name, error)) return (folder / name).string();
    return name.string();
  }

  /// The input that the schedule was made with: beside it, or on standard input.
  Result<Input> find_input(const Schedule& schedule, Console& console) const {
    if (schedule.input_hash.empty()) return Input();
    const std::string kept = input_path(path_);
    std::error_code error;
    auto input = std::filesystem::exists(kept, error) ? Input::copy(kept) : spool_input(console);
    if (!input) return input;
    if (!input->spooled()) input = Input::copy("/dev/null");
    if (!input || input->hash() == schedule.input_hash) return input;
    return fail(
        fmt::format("the schedule was made with other input (hash {}, not {}): it must be in {} or on "
                    "standard input",
                    schedule.input_hash, input->hash(), kept),
        path_);
  }

  Result<void> run_once(const RunPlan& plan, unsigned number, std::span<const AnalysisInfo* const> infos,
                        FindingStore& store, Results& results, Console& console) const {
    RunReport report(command_text_, path_);
    TraceKeeper keeper(trace_, report);
    LiveAnalysis analysis(infos, plan.follow.directory, store, report);
    const auto end =
        plan.run(number, [&](const RecordedProcess& process, std::unique_ptr<TraceReader> reader) {
          return trace_.empty() ? analysis.follow(process, std::move(reader))
                                : keeper.follow(process, *reader);
        });
    if (!end) return std::unexpected(end.error());
    if (auto told = report.tell(console, plan.follow.record.command[0], *end); !told) return told;
    if (!report.departure().empty())
      return fail("the schedule does not fit the program: " + report.departure(), path_);
    for (const Finding& failure : report.failures()) store.add(failure);
    ++results.outcomes[report.outcome(*end)];
    if (results.exit_code == 0) results.exit_code = report.exit_code(*end);
    return {};
  }

  void tell(const Schedule& schedule, const Results& results, Console& console) const {
    for (const auto& [outcome, runs] : results.outcomes) {
      const std::string count = runs_ == 1 ? "" : fmt::format(" ({} of {} runs)", runs, runs_);
      if (schedule.outcome.empty())
        console.note(fmt::format("{}: {}{}", path_, outcome, count));
      else if (outcome == schedule.outcome)
        console.note(fmt::format("{}: {}, as expected{}", path_, outcome, count));
      else
        console.error(fmt::format("{}: {} instead of {}{}", path_, outcome, schedule.outcome, count));
    }
    if (!trace_.empty())
      console.note(fmt::format("now: ravel analyze {}", shell_words(std::vector{trace_})[0]));
  }

  std::string path_;
  RecordingArguments program_;
  FindingsOutput findings_;
  std::string with_ = "default";
  std::string trace_;
  std::string command_text_;
  unsigned runs_ = 1;
  bool gdb_ = false;
  bool quiet_ = false;
};

const RegisterCommand<Replay> kRegister;

}  // namespace
}  // namespace ravel
