// ravel analyze: traces in, findings out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/chain.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "report/printer.h"
#include "report/store.h"
#include "trace/format.h"

namespace ravel {
namespace {

constexpr std::string_view kFooter = R"(Examples:
  ravel analyze run.rvl                     the default analyses
  ravel analyze --with hb,shb run.rvl       only these two
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
    app.add_option("--fail-on", fail_on_,
                   "Lowest verdict that counts: it is printed in full and makes the exit code 66")
        ->type_name("VERDICT")
        ->check(one_of(verdict_names()));
    app.add_flag("--show-all", show_all_, "Print findings below --fail-on in full too");
    app.add_flag("--json", json_, "Print the findings as JSON");
    add_output(app, output_);
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
          **trace, *infos, [&](std::uint64_t events) { console.progress(path, events); }, &names_missing);
      if (!findings) return std::unexpected(findings.error());
      for (const std::string& note : names_missing) console.note(note);
      for (const std::string& note : (*trace)->notes()) console.note(fmt::format("{}: {}", path, note));
      for (Finding& finding : *findings) store.add(std::move(finding));
    }
    const std::vector<Finding> findings = store.sorted();
    if (auto delivered = console.deliver(print(findings, console), output_); !delivered)
      return std::unexpected(delivered.error());
    if (const auto contradictions = store.contradictions(); !contradictions.empty()) {
      return std::unexpected(
          Error{.message = fmt::format("internal error: evidence contradicts itself for {}",
                                       fmt::join(contradictions, ", ")),
                .file = {},
                .line = 0,
                .exit_code = kExitInternal});
    }
    const Verdict fail_on = *verdict_from(fail_on_);
    const bool failing =
        std::ranges::any_of(findings, [&](const Finding& finding) { return finding.reaches(fail_on); });
    return failing ? kExitFindings : 0;
  }

 private:
  static std::string default_names() {
    std::vector<std::string_view> names;
    for (const AnalysisInfo& info : analyses())
      if (info.by_default) names.push_back(info.name);
    return fmt::format("{}", fmt::join(names, ","));
  }

  std::string print(std::span<const Finding> findings, const Console& console) const {
    if (json_) return print_json(findings);
    const bool to_terminal = output_.empty() || output_ == "-";
    ReportContext context;
    context.traces = traces_;
    context.fail_on = *verdict_from(fail_on_);
    context.color = to_terminal && console.color();
    context.show_all = show_all_;
    context.next_command = next_command();
    return print_text(findings, context);
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
  std::string fail_on_ = "predicted";
  std::string output_;
  bool lenient_ = false;
  bool show_all_ = false;
  bool json_ = false;
  bool quiet_ = false;
};

const RegisterCommand<Analyze> kRegister;

}  // namespace
}  // namespace ravel
