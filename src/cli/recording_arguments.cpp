#include "cli/recording_arguments.h"

#include <fmt/format.h>

#include <chrono>

#include "cli/command.h"

namespace ravel {
namespace {

CLI::Validator assignment() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        const std::size_t equals = text.find('=');
        return equals != std::string::npos && equals > 0 ? "" : fmt::format("'{}' is not NAME=VALUE", text);
      },
      "");
}

}  // namespace

void RecordingArguments::define_program(CLI::App& app, bool required) {
  app.add_option("PROG", command_, "The program and its arguments, after --")
      ->required(required)
      ->type_name("ARGS...");
}

void RecordingArguments::define(CLI::App& app) {
  app.add_option(
         "--filter", filter_,
         "Which accesses may be left out: owner (those that are ordered for certain), segment (repetitions "
         "between two synchronizations), none; or all of them, so that only synchronization is seen")
      ->type_name("LEVEL")
      ->check(one_of({"owner", "segment", "none", "all"}));
  app.add_option("--max-size", max_bytes_,
                 "Largest recording of one process; it ends there, the program goes on")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--env", environment_,
                 "A variable of the program's environment; {run} in it, as in the program's arguments, is "
                 "the number of the run, from 0")
      ->type_name("NAME=VALUE")
      ->check(assignment())
      ->take_all()
      ->expected(1);
  app.add_option("--before", before_, "Shell command before each run; if it fails, there is none")
      ->type_name("CMD");
  app.add_option("--after", after_, "Shell command after each run")->type_name("CMD");
  app.add_flag("--fresh-cwd", fresh_directory_,
               "Each run in a new, empty directory, which is removed afterwards");
  app.add_option("--time-limit", time_limit_, "Kill the program after so many seconds")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
}

RunPlan RecordingArguments::plan(Console& console) const {
  RunPlan plan;
  RecordOptions& record = plan.follow.record;
  record.command = command_;
  record.environment = environment_;
  record.filter = filter_ == "none"      ? FilterLevel::None
                  : filter_ == "segment" ? FilterLevel::Segment
                  : filter_ == "all"     ? FilterLevel::All
                                         : FilterLevel::Owner;
  record.max_bytes = max_bytes_;
  using std::chrono::milliseconds;
  plan.follow.time_limit = std::chrono::ceil<milliseconds>(std::chrono::duration<double>(time_limit_));
  plan.before = before_;
  plan.after = after_;
  plan.fresh_directory = fresh_directory_;
  plan.note = [&console](const std::string& text) { console.note(text); };
  return plan;
}

Result<Input> spool_input(Console& console) {
  return Input::spool([&console] {
    console.note(
        "waiting for the end of standard input, all of which each run gets; </dev/null if there is none");
  });
}

}  // namespace ravel
