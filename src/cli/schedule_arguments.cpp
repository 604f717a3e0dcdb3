#include "cli/schedule_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <random>

#include "cli/command.h"
#include "schedule/strategy.h"

namespace ravel {
namespace {

/// Those that mean nothing without --schedule.
constexpr std::array kDependent = {"--seed", "--switch-at", "--real-time", "--real-random", "--step-limit"};

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const std::string_view* name = kStrategyNames; !name->empty(); ++name) names.emplace_back(*name);
  return names;
}

/// What libraries look at in every program. What the program itself looks at, the user names with --env.
bool matters(std::string_view variable) {
  constexpr std::array kNames = {"LANG=",       "LANGUAGE=",       "LC_",     "TZ=",  "LD_LIBRARY_PATH=",
                                 "LD_PRELOAD=", "GLIBC_TUNABLES=", "MALLOC_", "OMP_", "GOMP_",
                                 "KMP_"};
  return std::ranges::any_of(kNames, [&](std::string_view name) { return variable.starts_with(name); });
}

std::vector<std::string> environment_that_matters(const std::vector<std::string>& given) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (matters(*entry)) all.emplace_back(*entry);
  std::ranges::sort(all);
  all.insert(all.end(), given.begin(), given.end());
  return all;
}

std::uint64_t fresh_seed() {
  std::random_device device;
  return device();  // 32 bits: a seed is something that people type
}

}  // namespace

void ScheduleArguments::define(CLI::App& app) {
  app_ = &app;
  std::vector<std::string> names = strategy_names();
  names.insert(names.begin(), "free");
  app.add_option(
         "--schedule", strategy_,
         "Who runs when: free leaves it to the system; with the others one thread runs at a time, and "
         "the same seed is the same run")
      ->type_name("STRATEGY")
      ->check(one_of(std::move(names)));
  app.add_option("--seed", seed_, "What the strategy's choices come from (without it: a new one each time)")
      ->type_name("N");
  app.add_option("--switch-at", switch_at_,
                 "Where another thread may go on: at synchronization (sync), at accesses to memory that "
                 "several threads use (shared) too, or at all accesses")
      ->type_name("POINTS")
      ->check(one_of({std::begin(kSwitchAtTexts), std::end(kSwitchAtTexts)}));
  app.add_flag("--real-time", real_time_, "Clocks and waits are those of the world, not of the run");
  app.add_flag("--real-random", real_random_, "Random numbers of the system do not come from the seed");
  app.add_option("--step-limit", step_limit_, "Stop the run after so many steps (without it: 10 million)")
      ->type_name("N")
      ->check(at_least_one());
}

Result<void> ScheduleArguments::check() const {
  if (controlled()) return {};
  for (const char* const name : kDependent)
    if (app_->count(name) > 0)
      return fail(fmt::format("{} needs --schedule: one of {}", name, fmt::join(strategy_names(), ", ")));
  return {};
}

KeptSchedule ScheduleArguments::make(const RunPlan& plan) const {
  const RecordOptions& record = plan.follow.record;
  KeptSchedule schedule;
  Schedule& value = schedule.value;
  value.command = schedule.keep(record.command);
  value.directory = schedule.keep(std::filesystem::current_path().string());
  value.environment = schedule.keep(environment_that_matters(record.environment));
  value.input_hash = schedule.keep(plan.input.hash());
  value.seed = app_->count("--seed") > 0 ? seed_ : fresh_seed();
  value.strategy = schedule.keep(strategy_);
  const auto* const text = std::ranges::find(kSwitchAtTexts, switch_at_);
  value.switch_at = static_cast<SwitchAt>(text - std::begin(kSwitchAtTexts));
  value.virtual_time = !real_time_;
  value.virtual_random = !real_random_;
  using std::chrono::nanoseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  value.start_time = static_cast<std::uint64_t>(std::chrono::duration_cast<nanoseconds>(now).count());
  value.step_limit = step_limit_;
  return schedule;
}

Result<void> check_strategy(const Schedule& schedule, const std::string& path) {
  const std::vector<std::string> names = strategy_names();
  if (schedule.strategy.empty() || std::ranges::find(names, schedule.strategy) != names.end()) return {};
  return fail(fmt::format("unknown strategy '{}': there are {}", schedule.strategy, fmt::join(names, ", ")),
              path);
}

}  // namespace ravel
