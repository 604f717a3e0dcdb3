// Printers: findings in, text out, no logic. docs/findings.md describes both formats.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "event/result.h"
#include "report/finding.h"

namespace ravel {

inline constexpr std::uint64_t kFindingsVersion = 1;

/// What a report is about, besides its findings.
struct ReportContext {
  std::vector<std::string> traces;
  Verdict fail_on = Verdict::Predicted;
  bool color = false;
  bool show_all = false;  ///< also print findings below fail_on, and refuted ones, in full
  /// The one command that deepens a finding that has no schedule to replay; empty: none. "{id}" is replaced
  /// by the id, "{rule}" by the rule.
  std::string next_command;
  std::string
      source_directory;  ///< relative places are looked up here for their source line; empty: the current one
};

/// Blocks for people, then one SUMMARY line per finding as `file:line: warning: text [RULE]`. Findings below
/// fail_on are one count line unless show_all.
std::string print_text(std::span<const Finding> findings, const ReportContext& context);

/// {"version": 1, "findings": [...]}: every field of every finding, always present. `target_exit` is the exit
/// code of the program that was run, if one was.
std::string print_json(std::span<const Finding> findings, std::optional<int> target_exit = std::nullopt);

/// The inverse of print_json; `name` is for messages.
Result<std::vector<Finding>> parse_findings(std::string_view json, const std::string& name);

/// The rule in brackets of a SUMMARY line: "race", "atomicity", ... (kind), and for `suspected`
/// "race-suspected".
std::string rule_name(const Finding& finding);

}  // namespace ravel
