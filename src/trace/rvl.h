// `.rvl`, ravel's own trace format: reader and writer of files (docs/trace-format.md).
#pragma once

#include <memory>
#include <string>

#include "event/result.h"
#include "trace/output_file.h"
#include "trace/reader.h"

namespace ravel::rvl {

/// Events per block that the writer aims for, and thus per batch of the reader.
inline constexpr std::size_t kBlockEvents = 8192;

Result<std::unique_ptr<TraceReader>> open_reader(const std::string& path);
/// `block_events` is at most kMaxBlockEvents.
Result<std::unique_ptr<TraceWriter>> create_writer(
    const std::string& path, const TraceHeader& header, std::size_t block_events = kBlockEvents,
    OutputFile::Appears appears = OutputFile::Appears::WhenComplete);

}  // namespace ravel::rvl
