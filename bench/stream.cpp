// stream FILE... : what reading the streams of recorded programs costs, and what it costs to make them
// `.rvl`: the work of `ravel record` beside the program, without the program.
//
// A program leaves its stream if it is run with RAVEL_OPTIONS=record=DIRECTORY. On a noisy machine, count
// instructions: valgrind --tool=callgrind bench_stream --runs 1 FILE.
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "trace/rvl.h"
#include "trace/stream_reader.h"

namespace ravel {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The number of events.
Result<std::uint64_t> read(const std::string& path, const std::string& output) {
  auto reader = stream::open_reader(path);
  if (!reader) return std::unexpected(reader.error());
  std::unique_ptr<TraceWriter> writer;
  if (!output.empty()) {
    auto created = rvl::create_writer(output, (*reader)->header());
    if (!created) return std::unexpected(created.error());
    writer = std::move(*created);
  }
  std::uint64_t events = 0;
  std::vector<Event> batch;
  while (true) {
    if (auto read = (*reader)->next(batch); !read) return std::unexpected(read.error());
    if (batch.empty()) break;
    events += batch.size();
    if (writer == nullptr) continue;
    if (auto written = writer->write(batch, (*reader)->tables()); !written)
      return std::unexpected(written.error());
  }
  if (writer != nullptr)
    if (auto finished = writer->finish((*reader)->tables()); !finished)
      return std::unexpected(finished.error());
  return events;
}

int run(int argc, char** argv) {
  std::vector<std::string> paths;
  int runs = 5;
  std::string keep;
  std::string only;
  CLI::App app{"What it costs to read the streams of recorded programs and to write them as .rvl"};
  app.add_option("FILE", paths, "streams")->required();
  app.add_option("--runs", runs, "runs of each row; the best counts")->capture_default_str();
  app.add_option("--keep", keep, "leave the last .rvl here");
  app.add_option("--only", only, "do not measure the other")->check(CLI::IsMember({"read", "write"}));
  CLI11_PARSE(app, argc, argv);

  const std::string output =
      keep.empty()
          ? fmt::format("{}/bench-stream-{}.rvl", std::filesystem::temp_directory_path().string(), getpid())
          : keep;
  fmt::print("{:<32} {:>12} {:>10} {:>14} {:>12}\n", "", "events", "ns: read", "read + write", "bytes/event");
  for (const std::string& path : paths) {
    double best[2] = {};
    std::uint64_t events = 0;
    for (const bool write : {false, true}) {
      if (only == (write ? "read" : "write")) continue;
      best[write] = std::numeric_limits<double>::max();
      for (int i = 0; i < runs; ++i) {
        const double begin = cpu_seconds();
        const auto done = read(path, write ? output : "");
        if (!done) {
          fmt::print(stderr, "stream: {}\n", done.error().text());
          return kExitInternal;
        }
        events = *done;
        best[write] = std::min(best[write], cpu_seconds() - begin);
      }
    }
    const auto count = static_cast<double>(std::max<std::uint64_t>(events, 1));
    const double bytes = only == "read" ? 0 : static_cast<double>(std::filesystem::file_size(output));
    fmt::print("{:<32} {:>12} {:>10.1f} {:>14.1f} {:>12.3f}\n",
               std::filesystem::path(path).filename().string(), events, best[0] * 1e9 / count,
               best[1] * 1e9 / count, bytes / count);
    std::fflush(stdout);
  }
  if (keep.empty()) std::filesystem::remove(output);
  return 0;
}

}  // namespace
}  // namespace ravel

int main(int argc, char** argv) { return ravel::run(argc, argv); }
