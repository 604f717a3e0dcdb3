// Followers of a run's processes: what becomes of each one's events.
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <span>

#include "analysis/analysis.h"
#include "cli/run_report.h"
#include "record/recording.h"
#include "report/store.h"

namespace ravel {

/// Keeps a trace of each process: of the program itself in `output`, of others beside it.
class TraceKeeper {
 public:
  TraceKeeper(std::filesystem::path output, RunReport& report)
      : output_(std::move(output)), report_(report) {}

  Result<void> follow(const RecordedProcess& process, TraceReader& reader);
  std::uint64_t events() const { return events_; }

 private:
  std::filesystem::path output_;
  RunReport& report_;
  std::atomic<std::uint64_t> events_ = 0;
};

/// Analyses each process while it runs; events that an analysis may want again are kept in `directory`.
class LiveAnalysis {
 public:
  LiveAnalysis(std::span<const AnalysisInfo* const> infos, std::filesystem::path directory,
               FindingStore& store, RunReport& report)
      : infos_(infos), directory_(std::move(directory)), store_(store), report_(report) {}

  Result<void> follow(const RecordedProcess& process, std::unique_ptr<TraceReader> reader);

 private:
  std::span<const AnalysisInfo* const> infos_;
  std::filesystem::path directory_;
  std::mutex mutex_;
  FindingStore& store_;
  RunReport& report_;
};

/// What a process may be ahead of its analyses: 256 chunks of 64 KiB.
inline constexpr std::uint32_t kLiveChunkLimit = 256;

}  // namespace ravel
