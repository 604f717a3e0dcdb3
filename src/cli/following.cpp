#include "cli/following.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/chain.h"
#include "trace/checked_reader.h"
#include "trace/rvl.h"
#include "trace/spool_reader.h"

namespace ravel {
namespace {

/// "PID.rvl", and "PID-N.rvl" for what the same process became by exec.
std::string further_extension(const RecordedProcess& process, const std::filesystem::path& output) {
  const std::string number = process.earlier == 0 ? "" : fmt::format("-{}", process.earlier);
  return fmt::format("{}{}{}", process.pid, number, output.extension().string());
}

}  // namespace

Result<void> TraceKeeper::follow(const RecordedProcess& process, TraceReader& reader) {
  std::filesystem::path path = output_;
  if (!process.first) path.replace_extension(further_extension(process, output_));
  // A process says how it was started before it tells of its first event.
  std::vector<Event> batch;
  if (auto read = reader.next(batch); !read) return read;
  // If ravel is killed, what it has kept so far is a trace all the same.
  auto writer =
      rvl::create_writer(path.string(), reader.header(), rvl::kBlockEvents, OutputFile::Appears::AtOnce);
  if (!writer) return std::unexpected(writer.error());
  while (!batch.empty()) {
    events_ += batch.size();
    if (auto written = (*writer)->write(batch, reader.tables()); !written) return written;
    if (auto read = reader.next(batch); !read) return read;
  }
  if (auto finished = (*writer)->finish(reader.tables()); !finished) return finished;
  report_.add(process, reader, path.string());
  return {};
}

Result<void> LiveAnalysis::follow(const RecordedProcess& process, std::unique_ptr<TraceReader> reader) {
  const std::string stream = reader->path();
  const FilterLevel filter = reader->header().filter;
  if (std::ranges::any_of(infos_, [filter](const AnalysisInfo* info) { return info->repeats >= filter; })) {
    auto spool = SpoolReader::open(std::move(reader), directory_);
    if (!spool) return std::unexpected(spool.error());
    reader = std::move(*spool);
  }
  CheckedReader checked(std::move(reader), Rules::Lenient);
  std::vector<std::string> names_missing;
  auto findings = analyze(checked, infos_, {}, &names_missing);
  if (!findings) return std::unexpected(findings.error());
  report_.add_notes(names_missing);
  report_.add(process, checked, fmt::format("process {}", process.pid));
  const std::lock_guard lock(mutex_);
  for (Finding& finding : *findings) {
    // The stream is gone when the user reads this; the run is what the evidence is about.
    for (Evidence& evidence : finding.evidence)
      if (evidence.scope == stream) evidence.scope = report_.scope_of(process);
    store_.add(std::move(finding));
  }
  return {};
}

}  // namespace ravel
