#include "cli/findings_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/arguments.h"
#include "cli/command.h"
#include "report/printer.h"

namespace ravel {

void FindingsOutput::define(CLI::App& app) {
  define_without_output(app);
  add_output(app, output_);
}

void FindingsOutput::define_without_output(CLI::App& app) {
  app.add_option("--fail-on", fail_on_,
                 "Lowest verdict that counts: it is printed in full and makes the exit code 66")
      ->type_name("VERDICT")
      ->check(one_of(verdict_names()));
  app.add_flag("--show-all", show_all_, "Print findings below --fail-on in full too");
  app.add_flag("--json", json_, "Print the findings as JSON");
}

std::string FindingsOutput::print(std::span<const Finding> findings, const Console& console,
                                  const About& about) const {
  if (json_) return print_json(findings, about.target_exit);
  const bool to_terminal = output_.empty() || output_ == "-";
  ReportContext context;
  context.traces = about.traces;
  context.fail_on = *verdict_from(fail_on_);
  context.color = to_terminal && console.color();
  context.show_all = show_all_;
  context.next_command = about.next_command;
  return print_text(findings, context);
}

Result<int> FindingsOutput::deliver(Console& console, const FindingStore& store, const About& about) const {
  const std::vector<Finding> findings = store.sorted();
  if (auto delivered = console.deliver(print(findings, console, about), output_); !delivered)
    return std::unexpected(delivered.error());
  if (const auto contradictions = store.contradictions(); !contradictions.empty()) {
    return std::unexpected(Error{.message = fmt::format("internal error: evidence contradicts itself for {}",
                                                        fmt::join(contradictions, ", ")),
                                 .file = {},
                                 .line = 0,
                                 .exit_code = kExitInternal});
  }
  const Verdict fail_on = *verdict_from(fail_on_);
  const bool failing =
      std::ranges::any_of(findings, [&](const Finding& finding) { return finding.reaches(fail_on); });
  return failing ? kExitFindings : about.target_exit.value_or(0);
}

}  // namespace ravel
