// The properties of tests/support/properties.h on many random traces: a table of what was tried, what it
// exercised and how long it took, and the shrunk trace of every property that failed.
//
//   bench_random_traces [TRACES] [SEED] [PROPERTY...]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "event/result.h"
#include "support/properties.h"

namespace {

using namespace ravel;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int usage() {
  fmt::print(stderr, "usage: bench_random_traces [TRACES] [SEED] [PROPERTY...]\nproperties:\n");
  for (const auto properties :
       {witness_properties(), race_properties(), predictive_properties(), sync_properties()})
    for (const Property& property : properties)
      fmt::print(stderr, "  {:<30} {}\n", property.name, property.claim);
  return kExitUsage;
}

/// A line of the table; false if the property failed.
bool run(const Property& property, std::uint64_t seed, std::uint64_t traces) {
  const bool tty = isatty(STDERR_FILENO) != 0;
  const auto begin = std::chrono::steady_clock::now();
  const Trials trials = try_property(property, seed, traces, [&](std::uint64_t done) {
    if (tty && done % 1000 == 0) fmt::print(stderr, "\r{} {}", property.name, done);
  });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (tty) fmt::print(stderr, "\r{:<60}\r", "");
  const auto per = [](std::uint64_t n, double scale, std::uint64_t of) {
    return of == 0 ? 0.0 : static_cast<double>(n) * scale / static_cast<double>(of);
  };
  fmt::print("{:<30} {:>9} {:>9.1f} {:>11.1f}% {:>8.1f} {:>14.1f}  {}\n", property.name, trials.traces,
             per(trials.events, 1, trials.traces), per(trials.exercised, 100, trials.traces), seconds,
             seconds * 1e6 / static_cast<double>(trials.traces), trials.counterexample ? "FAILS" : "holds");
  if (trials.counterexample) fmt::print("{}", trials.counterexample->text());
  std::fflush(stdout);
  return !trials.counterexample;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  const auto traces = arguments.empty() ? std::optional<std::uint64_t>(10'000) : number(arguments[0]);
  const auto seed = arguments.size() < 2 ? std::optional(campaign_seed()) : number(arguments[1]);
  if (!traces || !seed) return usage();
  const std::vector<std::string_view> wanted(
      arguments.begin() + std::min<std::ptrdiff_t>(2, std::ssize(arguments)), arguments.end());
  fmt::print("{} traces (fewer for costly properties), seed {}\n", *traces, *seed);
  fmt::print("{:<30} {:>9} {:>9} {:>12} {:>8} {:>14}  {}\n", "property", "traces", "events/tr", "exercised",
             "seconds", "ms/1000 traces", "result");
  bool hold = true;
  std::size_t ran = 0;
  for (const auto properties :
       {witness_properties(), race_properties(), predictive_properties(), sync_properties()})
    for (const Property& property : properties) {
      if (!wanted.empty() && std::ranges::find(wanted, property.name) == wanted.end()) continue;
      ++ran;
      hold &= run(property, *seed, *traces);
    }
  if (ran < wanted.size() || ran == 0) return usage();
  return hold ? 0 : 1;
}
