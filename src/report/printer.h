// Printers: findings in, text out, no logic.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "event/result.h"
#include "report/finding.h"

namespace ravel {

/// What a report is about, besides its findings.
struct ReportContext {
  std::vector<std::string> traces;
  Verdict fail_on = Verdict::Predicted;
  bool color = false;
  bool show_all = false;  ///< also print findings below fail_on in full
  std::string
      next_command;  ///< the one command that deepens a finding; empty: none. "{id}" is replaced by the id
};

/// Blocks for people, then one SUMMARY line per finding as `file:line: warning: text [RULE]`. Findings below
/// fail_on are one count line unless show_all.
std::string print_text(std::span<const Finding> findings, const ReportContext& context);

/// {"version": 1, "findings": [...]}: every field of DESIGN's finding, always present.
std::string print_json(std::span<const Finding> findings);

/// The inverse of print_json; `name` is for messages.
Result<std::vector<Finding>> parse_findings(std::string_view json, const std::string& name);

/// The rule in brackets of a SUMMARY line: "race", "atomicity", ... (kind), and for `suspected`
/// "race-suspected".
std::string rule_name(const Finding& finding);

}  // namespace ravel
