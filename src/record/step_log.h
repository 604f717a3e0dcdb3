// The steps of a controlled run, from the file that the runtime leaves beside the stream (event/step_log.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "event/operation_kind.h"
#include "event/result.h"

namespace ravel {

struct StepLog {
  /// So many steps of one kind that a thread took one after the other.
  struct Taken {
    std::uint32_t thread = 0;
    OperationKind kind = OperationKind::Start;
    std::uint32_t steps = 0;

    friend bool operator==(const Taken&, const Taken&) = default;
  };

  std::vector<std::string> threads;  ///< fork paths, by index
  std::vector<Taken> taken;

  std::uint64_t steps() const;
};

/// Of the process whose stream is at `stream_path`. What a killed program has left is as good as any.
Result<StepLog> read_step_log(const std::string& stream_path);

}  // namespace ravel
