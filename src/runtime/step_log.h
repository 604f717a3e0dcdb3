// StepLog: the file of a run's steps (event/step_log.h).
#pragma once

#include <cstdint>

#include "event/operation_kind.h"
#include "event/step_log.h"

namespace ravel::rt {

class StepLog {
 public:
  /// Beside the stream. Without space for it, the run goes on and its steps are not kept.
  void create(const char* stream_path);
  void add(std::uint32_t thread, OperationKind kind) {
    const std::uint32_t what = thread << 8 | static_cast<std::uint32_t>(kind);
    if (last_ != nullptr && last_->thread_and_kind == what) {
      const std::uint32_t times = last_->times.load(std::memory_order_relaxed);
      if (times != UINT32_MAX) return last_->times.store(times + 1, std::memory_order_relaxed);
    }
    append(what);
  }

 private:
  void append(std::uint32_t what);
  bool grow();

  step_log::Head* head_ = nullptr;
  step_log::Entry* last_ = nullptr;
  char* memory_ = nullptr;  ///< address space for the whole file
  std::uint64_t mapped_ = 0;
  std::uint64_t used_ = 0;
  int file_ = -1;
};

}  // namespace ravel::rt
