#include "cli/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/analysis.h"
#include "cli/command.h"
#include "trace/format.h"

namespace ravel {
namespace {

constexpr Verdict kVerdicts[] = {
#define X(name, text) Verdict::name,
    RAVEL_VERDICTS(X)
#undef X
};

}  // namespace

void add_format(CLI::App& app, const std::string& name, std::string& format, const std::string& help) {
  std::vector<std::string> names;
  for (const TraceFormat* known : trace_formats()) names.emplace_back(known->name);
  app.add_option(name, format, help)->type_name("FORMAT")->check(one_of(std::move(names)));
}

void add_output(CLI::App& app, std::string& path) {
  app.add_option("-o,--output", path, "Write the result to this file instead of standard output")
      ->type_name("FILE");
}

CLI::Validator analysis_list() {
  std::string names = "all,default";
  for (const AnalysisInfo& info : analyses()) names += fmt::format(",{}", info.name);
  // Square brackets tell page.cpp that the value is a list of these.
  return CLI::Validator(
      [](const std::string& list) -> std::string {
        const auto found = find_analyses(list);
        return found ? std::string() : found.error().text();
      },
      fmt::format("[{}]", names));
}

std::vector<std::string> verdict_names() {
  std::vector<std::string> names;
  for (const Verdict verdict : kVerdicts)
    if (verdict != Verdict::Refuted) names.emplace_back(to_string(verdict));
  return names;
}

std::vector<std::string> shell_words(std::span<const std::string> words) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%";
  std::vector<std::string> out;
  for (const std::string& word : words) {
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      out.push_back(word);
      continue;
    }
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out.push_back(quoted + "'");
  }
  return out;
}

}  // namespace ravel
