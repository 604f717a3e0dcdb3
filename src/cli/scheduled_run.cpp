#include "cli/scheduled_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "cli/arguments.h"

namespace ravel {
namespace {

constexpr std::string_view kExtension = ".schedule.json";
/// More of them make the file too large to be of use; the seed alone gives the same run.
constexpr std::size_t kMostDecisions = 1'000'000;

}  // namespace

std::string schedule_path(const std::string& beside) {
  return std::filesystem::path(beside).replace_extension().string() + std::string(kExtension);
}

std::string input_path(const std::string& schedule_path) {
  std::string stem = schedule_path;
  if (stem.ends_with(kExtension)) stem.resize(stem.size() - kExtension.size());
  return stem + ".input";
}

Result<ScheduledRun> ScheduledRun::begin(const ScheduleArguments& arguments, RunPlan& plan,
                                         const std::string& path) {
  ScheduledRun run(arguments.make(plan), path);
  std::error_code ignored;
  std::filesystem::remove(input_path(path), ignored);  // of an earlier run
  if (plan.input.size() > 0)
    if (auto saved = plan.input.save(input_path(path)); !saved) return std::unexpected(saved.error());
  if (auto written = run.schedule_.write(path); !written) return std::unexpected(written.error());
  plan.follow.record.schedule = std::filesystem::absolute(path).string();
  return run;
}

Result<void> ScheduledRun::end(const RunEnd& end, const RunReport& report, Console& console) {
  const std::string outcome = report.outcome(end);
  if (end.steps.taken.size() <= kMostDecisions) schedule_.set_decisions(end.steps);
  schedule_.value.outcome = schedule_.keep(outcome);
  if (auto written = schedule_.write(path_); !written) return written;
  console.note(fmt::format("{}: seed {}, {} steps, {}; again: ravel replay {}", path_, schedule_.value.seed,
                           end.steps.steps(), outcome, shell_words(std::vector{path_})[0]));
  return {};
}

void ScheduledRun::discard() const {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  std::filesystem::remove(input_path(path_), ignored);
}

}  // namespace ravel
