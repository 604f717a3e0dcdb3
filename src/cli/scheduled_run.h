// ScheduledRun: a controlled run and the file its schedule is kept in.
#pragma once

#include <string>

#include "cli/console.h"
#include "cli/run_report.h"
#include "cli/schedule_arguments.h"
#include "record/kept_schedule.h"
#include "record/run_plan.h"

namespace ravel {

class ScheduledRun {
 public:
  /// Writes the schedule as far as it is known before the run, which is enough to repeat it, and makes the
  /// plan follow it. What was on standard input is kept beside it.
  static Result<ScheduledRun> begin(const ScheduleArguments& arguments, RunPlan& plan,
                                    const std::string& path);

  /// Writes it again, with what the run has done and how it ended, and says so.
  Result<void> end(const RunEnd& end, const RunReport& report, Console& console);
  /// There was no run.
  void discard() const;

  const std::string& path() const { return path_; }

 private:
  ScheduledRun(KeptSchedule schedule, std::string path)
      : schedule_(std::move(schedule)), path_(std::move(path)) {}

  KeptSchedule schedule_;
  std::string path_;
};

/// "T.schedule.json" and "T.input", beside "T.rvl" or anything else that begins with T.
std::string schedule_path(const std::string& beside);
std::string input_path(const std::string& schedule_path);

}  // namespace ravel
