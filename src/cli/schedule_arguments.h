// Arguments that make a run a controlled one: one thread at a time, whom a strategy chooses.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "event/result.h"
#include "record/kept_schedule.h"
#include "record/run_plan.h"

namespace ravel {

class ScheduleArguments {
 public:
  /// --schedule, --seed, --switch-at, --real-time, --real-random, --step-limit.
  void define(CLI::App& app);

  bool controlled() const { return strategy_ != "free"; }
  bool real_time() const { return real_time_; }
  bool real_random() const { return real_random_; }
  /// An error: one of the others was given without --schedule.
  Result<void> check() const;
  /// The schedule of a run that has not been yet: it has no decisions. Chooses a seed if none was given.
  KeptSchedule make(const RunPlan& plan) const;

 private:
  CLI::App* app_ = nullptr;
  std::string strategy_ = "free";
  std::uint64_t seed_ = 0;
  std::string switch_at_ = "sync";
  std::uint64_t step_limit_ = 10'000'000;
  bool real_time_ = false;
  bool real_random_ = false;
};

/// The schedule's file must name a strategy that there is.
Result<void> check_strategy(const Schedule& schedule, const std::string& path);

}  // namespace ravel
