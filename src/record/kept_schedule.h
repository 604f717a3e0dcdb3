// KeptSchedule: a Schedule with the memory behind it, in a file.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "event/result.h"
#include "record/step_log.h"
#include "schedule/schedule.h"

namespace ravel {

class KeptSchedule {
 public:
  KeptSchedule();
  ~KeptSchedule();
  KeptSchedule(KeptSchedule&&) noexcept;
  KeptSchedule& operator=(KeptSchedule&&) noexcept;

  static Result<KeptSchedule> read(const std::string& path);
  /// By rename: who reads it sees the old one or the new one.
  Result<void> write(const std::string& path) const;

  Schedule value;

  /// Copies that live as long as this, for `value` to refer to.
  std::string_view keep(std::string_view text);
  std::span<const std::string_view> keep(std::span<const std::string> texts);

  /// What the run has done, step by step.
  void set_decisions(const StepLog& log);
  /// Every place of a step that is named by it becomes what `by` says.
  void replace_places(const std::function<std::string_view(std::string_view)>& by);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace ravel
