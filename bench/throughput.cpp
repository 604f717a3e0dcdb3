// throughput: events per CPU second, bytes per event and peak memory of every trace format and every
// analysis, on a large made-up trace (workload/workload.h).
//
// Each row is a process of its own, so that its CPU time and peak memory are its own. CPU time is user and
// system time of the whole row: reading, checking, resolving and analysing. Rows that read are the best of
// several runs, because whatever else a shared machine does only ever adds to them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "analysis/analysis.h"
#include "analysis/chain.h"
#include "trace/format.h"
#include "workload/measure.h"
#include "workload/workload.h"

namespace ravel {
namespace {

Result<void> generate(const WorkloadParameters& parameters, std::uint64_t events, const std::string& path) {
  const auto format = find_format({}, path);
  if (!format) return std::unexpected(format.error());
  auto writer = (*format)->create(path, TraceHeader{});
  if (!writer) return std::unexpected(writer.error());
  Workload workload(parameters);
  std::vector<Event> batch;
  for (std::uint64_t done = 0; done < events; done += batch.size()) {
    const std::uint64_t left = events - done;
    workload.next(batch, std::min<std::uint64_t>(left, kBatchEvents), left <= kBatchEvents);
    if (auto wrote = (*writer)->write(batch, workload.tables()); !wrote) return wrote;
  }
  return (*writer)->finish(workload.tables());
}

Result<std::uint64_t> read_all(const std::string& path) {
  auto trace = open_trace(path);
  if (!trace) return std::unexpected(trace.error());
  std::uint64_t count = 0;
  for (std::vector<Event> batch;;) {
    if (auto read = (*trace)->next(batch); !read) return std::unexpected(read.error());
    if (batch.empty()) return count;
    count += batch.size();
  }
}

Result<void> run_analyses(const std::string& path, const std::string& names) {
  auto trace = open_trace(path);
  if (!trace) return std::unexpected(trace.error());
  const auto infos = find_analyses(names);
  if (!infos) return std::unexpected(infos.error());
  if (auto findings = analyze(**trace, *infos); !findings) return std::unexpected(findings.error());
  return {};
}

/// Millions of events per CPU second, and peak memory, of each analysis on longer and longer traces: the same
/// speed in each column means that the cost grows as the trace does.
void print_growth(const WorkloadParameters& parameters, std::uint64_t events, int runs,
                  const std::string& directory) {
  const std::array<std::uint64_t, 4> lengths = {events / 20, events / 4, events / 2, events};
  fmt::print("\n{:<12}", "analysis");
  for (const std::uint64_t length : lengths)
    fmt::print(" {:>22}", fmt::format("{:.1f} M events", static_cast<double>(length) / 1e6));
  fmt::print("\n{:<12}", "");
  for (std::size_t i = 0; i < lengths.size(); ++i) fmt::print(" {:>12} {:>9}", "M/CPU s", "peak MB");
  fmt::print("\n");
  const auto path = [&](std::uint64_t length) { return fmt::format("{}/{}.rvl", directory, length); };
  for (const std::uint64_t length : lengths)
    if (auto made = generate(parameters, length, path(length)); !made) die(made.error().text());
  for (const AnalysisInfo& info : analyses()) {
    fmt::print("{:<12}", info.name);
    for (const std::uint64_t length : lengths) {
      const Cost cost = measure(runs, [&] { return run_analyses(path(length), std::string(info.name)); });
      fmt::print(" {:>12.2f} {:>9.0f}", static_cast<double>(length) / cost.cpu_seconds / 1e6,
                 cost.peak_megabytes);
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}

int run(int argc, char** argv) {
  WorkloadParameters parameters;
  std::uint64_t events = 20'000'000;
  int runs = 5;
  bool growth = false;
  std::string directory;
  CLI::App app{"Events per CPU second and bytes per event of every trace format and analysis"};
  app.add_option("--events", events, "length of the trace")->capture_default_str();
  app.add_option("--threads", parameters.threads)->capture_default_str();
  app.add_option("--locks", parameters.locks)->capture_default_str();
  app.add_option("--variables", parameters.variables)->capture_default_str();
  app.add_option("--contention", parameters.contention, "part of the stretches that use shared variables")
      ->capture_default_str();
  app.add_option("--nesting", parameters.nesting, "probability of a section in a section")
      ->capture_default_str();
  app.add_option("--racy", parameters.racy, "part of the sections that forget their lock")
      ->capture_default_str();
  app.add_option("--units", parameters.units, "part of the sections that are units of work")
      ->capture_default_str();
  app.add_option("--seed", parameters.seed)->capture_default_str();
  app.add_option("--runs", runs, "runs of each row that reads; the best counts")->capture_default_str();
  app.add_flag("--growth", growth,
               "instead, how the cost of each analysis grows with the length of the trace");
  app.add_option("--keep", directory, "write the traces to this directory and leave them there");
  CLI11_PARSE(app, argc, argv);

  const bool keep = !directory.empty();
  if (!keep) {
    std::string pattern = (std::filesystem::temp_directory_path() / "throughput-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) die("cannot make a temporary directory");
    directory = pattern;
  }
  fmt::print(
      "{} events, {} threads, {} locks, {} variables, contention {}, nesting {}, racy {}, units {}, seed "
      "{}\n\n",
      events, parameters.threads, parameters.locks, parameters.variables, parameters.contention,
      parameters.nesting, parameters.racy, parameters.units, parameters.seed);
  if (growth) {
    print_growth(parameters, events, runs, directory);
    if (!keep) std::filesystem::remove_all(directory);
    return 0;
  }
  fmt::print("{:<28} {:>14} {:>10} {:>12} {:>10}\n", "", "events/CPU s", "MB/CPU s", "bytes/event",
             "peak MB");
  const auto row = [](const std::string& name, std::uint64_t count, double bytes, const Cost& cost) {
    fmt::print("{:<28} {:>12.1f} M {:>10.0f} {:>12.2f} {:>10.0f}\n", name,
               static_cast<double>(count) / cost.cpu_seconds / 1e6, bytes / cost.cpu_seconds / 1e6,
               bytes / static_cast<double>(count), cost.peak_megabytes);
    std::fflush(stdout);
  };

  const std::string native = directory + "/trace.rvl";
  for (const TraceFormat* format : trace_formats()) {
    if (format->create == nullptr) continue;
    const std::string path = fmt::format("{}/trace{}", directory, format->extension);
    const Cost write = measure_once([&] { return generate(parameters, events, path); });
    const auto bytes = static_cast<double>(std::filesystem::file_size(path));
    const auto count = read_all(path);
    if (!count) die(count.error().text());
    row(fmt::format("generate + write {}", format->extension), *count, bytes, write);
    const Cost read = measure(runs, [&]() -> Result<void> {
      if (auto all = read_all(path); !all) return std::unexpected(all.error());
      return {};
    });
    row(fmt::format("read {}", format->extension), *count, bytes, read);
    if (!keep && path != native) std::filesystem::remove(path);
  }
  const auto bytes = static_cast<double>(std::filesystem::file_size(native));
  for (const AnalysisInfo& info : analyses()) {
    const Cost cost = measure(runs, [&] { return run_analyses(native, std::string(info.name)); });
    row(fmt::format("read .rvl + {}", info.name), events, bytes, cost);
  }
  row("read .rvl + all", events, bytes, measure(runs, [&] { return run_analyses(native, "all"); }));
  if (!keep) std::filesystem::remove_all(directory);
  return 0;
}

}  // namespace
}  // namespace ravel

int main(int argc, char** argv) { return ravel::run(argc, argv); }
