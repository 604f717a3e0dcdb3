// TraceReader: one seam for every source of events. All formats give the same Events and Tables.
//
// A format is one file that derives from TraceReader (and TraceWriter) and registers itself (format.h). A
// reader streams: it holds one batch at a time, so a trace may be larger than memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "event/event.h"
#include "event/result.h"
#include "trace/header.h"
#include "trace/run_outcome.h"
#include "trace/tables.h"

namespace ravel {

/// Events per batch that a reader aims for.
inline constexpr std::size_t kBatchEvents = 4096;

class TraceReader {
 public:
  virtual ~TraceReader() = default;

  /// Replaces `batch` by the next events in trace order; an empty batch is the end of the trace.
  virtual Result<void> next(std::vector<Event>& batch) = 0;

  /// Starts again at the first event; ids stay what they were. An error for sources that cannot (a pipe).
  virtual Result<void> rewind() = 0;

  /// Line in the source of the event at `position` of the last batch; 0 for formats without lines.
  virtual std::uint64_t line_of(std::uint64_t /*position*/) const { return 0; }

  /// What the user should know about the trace, complete at its end ("the last block is incomplete: ...").
  virtual std::vector<std::string> notes() const { return {}; }

  /// Of a controlled run, complete at the trace's end.
  virtual const RunOutcome& outcome() const { return outcome_; }

  // Virtual for readers that wrap another one.
  virtual const TraceHeader& header() const { return header_; }
  virtual const Tables& tables() const { return tables_; }
  const std::string& path() const { return path_; }

 protected:
  explicit TraceReader(std::string path) : path_(std::move(path)) {}

  std::string path_;
  TraceHeader header_;
  Tables tables_;
  RunOutcome outcome_;
};

/// Writes one trace. Nothing appears under the final name before finish() (written aside, then renamed); a
/// writer that is destroyed without finish() removes what it wrote.
class TraceWriter {
 public:
  virtual ~TraceWriter() = default;

  /// `tables` must know all names of these events; it may have grown since the last call.
  virtual Result<void> write(std::span<const Event> events, const Tables& tables) = 0;
  virtual Result<void> finish(const Tables& tables) = 0;

  /// What the format could not carry ("3 values"), complete after finish().
  virtual std::vector<std::string> losses() const { return {}; }
};

}  // namespace ravel
