// extremes: what every analysis costs on traces that are large in one way each (support/extreme_traces.h), at
// a quarter of their size, half of it and all of it: time should double from row to row, and memory not more
// than that.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>

#include "analysis/analysis.h"
#include "analysis/chain.h"
#include "support/extreme_traces.h"
#include "workload/measure.h"

namespace ravel {
namespace {

Result<std::uint64_t> count_events(TraceReader& trace) {
  std::uint64_t count = 0;
  for (std::vector<Event> batch;;) {
    if (auto read = trace.next(batch); !read) return std::unexpected(read.error());
    if (batch.empty()) return count;
    count += batch.size();
  }
}

/// Only what the analysis itself costs: no witnesses, no names.
class Silent final : public DetectionSink {
  void report(const Detection& /*detection*/) override {}
};

int run(int argc, char** argv) {
  std::string with = "hb,cp,wcp,mb,syncp,deadlock", only;
  double scale = 1;
  CLI::App app{"Time and memory of analyses on traces that are large in one way"};
  app.add_option("--with", with, "analyses")->capture_default_str();
  app.add_option("--only", only, "traces whose name contains this");
  app.add_option("--scale", scale, "of the traces")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto infos = find_analyses(with);
  if (!infos) die(infos.error().text());

  fmt::print("{:<34} {:>10} {:>10} {:>10} {:>8} {:>14} {:>10}\n", "trace", "size", "events", "analysis",
             "CPU s", "events/CPU s", "peak MB");
  for (const ExtremeTrace& trace : extreme_traces()) {
    if (!trace.name.contains(only)) continue;
    for (const AnalysisInfo* info : *infos)
      for (const double part : {0.25, 0.5, 1.0}) {
        const auto size = static_cast<std::uint64_t>(static_cast<double>(trace.full_size) * scale * part);
        const auto events = count_events(*trace.make(size));
        if (!events) die(events.error().text());
        const Cost cost = measure_once([&] {
          const auto reader = trace.make(size);
          const std::array analysis = {info->make()};
          Silent silent;
          return run_chain(*reader, analysis, silent);
        });
        fmt::print("{:<34} {:>10} {:>10} {:>10} {:>8.2f} {:>12.2f} M {:>10.0f}\n", trace.name, size, *events,
                   info->name, cost.cpu_seconds, static_cast<double>(*events) / cost.cpu_seconds / 1e6,
                   cost.peak_megabytes);
        std::fflush(stdout);
      }
  }
  return 0;
}

}  // namespace
}  // namespace ravel

int main(int argc, char** argv) { return ravel::run(argc, argv); }
