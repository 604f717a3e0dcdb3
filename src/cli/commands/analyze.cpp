// ravel analyze: traces in, findings out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/chain.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/findings_output.h"
#include "report/store.h"
#include "trace/format.h"

namespace ravel {
namespace {

constexpr std::string_view kFooter = R"(Examples:
  ravel analyze run.rvl                     the default analyses
  ravel analyze --with hb,shb run.rvl       only these two
  ravel analyze --witnesses DIR run.rvl     and how each race and deadlock can come about
  ravel analyze --json a.std b.std          findings of both traces, merged, for a program to read)";

class Analyze : public Command {
 public:
  std::string_view name() const override { return "analyze"; }
  std::string_view summary() const override { return "Find concurrency errors in traces"; }

  void define(CLI::App& app) override {
    app.add_option("TRACE", traces_, "Trace files; findings of several are merged")
        ->required()
        ->type_name("FILE");
    app.add_option("--with", with_, fmt::format("Analyses to run (default: {})", default_names()))
        ->type_name("LIST")
        ->check(analysis_list());
    app.add_flag("--lenient", lenient_,
                 "Drop and count events that break a rule instead of stopping at the first");
    add_format(app, "--from", from_, "Format of the traces (without it: by extension)");
    app.add_option("--witnesses", witnesses_.directory,
                   "Write a checked reordering for each race and deadlock that has one: ID.tid, and ID.json "
                   "for ravel replay")
        ->type_name("DIR");
    findings_.define(app);
    app.add_flag("--quiet,-q", quiet_, "No notes and no progress");
    app.footer(std::string(kFooter));
  }

  Result<int> run(Session& session) override {
    Console& console = session.console;
    console.set_quiet(quiet_);
    const auto infos = find_analyses(with_);
    if (!infos) return std::unexpected(infos.error());

    FindingStore store;
    for (const std::string& path : traces_) {
      auto trace = open_trace(path, from_, lenient_ ? Rules::Lenient : Rules::Strict);
      if (!trace) return std::unexpected(trace.error());
      std::vector<std::string> names_missing;
      auto findings = ravel::analyze(
          **trace, *infos, [&](std::uint64_t events) { console.progress(path, events); }, &names_missing,
          witnesses_);
      if (!findings) return std::unexpected(findings.error());
      for (const std::string& note : names_missing) console.note(note);
      for (const std::string& note : (*trace)->notes()) console.note(fmt::format("{}: {}", path, note));
      for (Finding& finding : *findings) store.add(std::move(finding));
    }
    return findings_.deliver(
        console, store, {.traces = traces_, .next_command = next_command(), .target_exit = std::nullopt});
  }

 private:
  static std::string default_names() {
    std::vector<std::string_view> names;
    for (const AnalysisInfo& info : analyses())
      if (info.by_default) names.push_back(info.name);
    return fmt::format("{}", fmt::join(names, ","));
  }

  // The word of all other analyses on the same traces is the deepest look there is; after that, what the
  // finding means.
  std::string next_command() const {
    if (with_ == "all") return "ravel explain {rule}";
    return fmt::format("ravel analyze --with all --show-all {}", fmt::join(shell_words(traces_), " "));
  }

  std::vector<std::string> traces_;
  std::string with_ = "default";
  std::string from_;
  WitnessOptions witnesses_;
  FindingsOutput findings_;
  bool lenient_ = false;
  bool quiet_ = false;
};

const RegisterCommand<Analyze> kRegister;

}  // namespace
}  // namespace ravel
