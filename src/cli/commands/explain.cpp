// ravel explain: what the words in a report mean.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/nearest.h"
#include "cli/page_printers.h"
#include "event/pattern.h"
#include "report/finding.h"

namespace ravel {
namespace {

constexpr std::string_view kSuspectedSuffix = "-suspected";  // rule_name() of printer.h

constexpr FindingKind kKinds[] = {
#define X(name, text) FindingKind::name,
    RAVEL_FINDING_KINDS(X)
#undef X
};

std::string_view kind_meaning(FindingKind kind) {
  switch (kind) {
    case FindingKind::Race:
      return "Two threads access the same memory, at least one of them writes, at least one access is not "
             "atomic, and "
             "nothing orders the two. In C and C++ the behaviour of such a program is undefined.";
    case FindingKind::Deadlock:
      return "Threads wait for each other in a circle, each holding a lock that the next one wants.";
    case FindingKind::Atomicity:
      return "A unit of work (a block that is meant to be atomic) was interleaved with another thread so "
             "that no serial "
             "order of the units gives the same result.";
    case FindingKind::AtomicSet:
      return "Memory locations that belong together were accessed by two units of work in an order that no "
             "serial run "
             "shows: one of the access patterns (`ravel explain` lists them).";
    case FindingKind::LostWakeup:
      return "A notification came when nobody waited for it, and a thread then waits for it in vain.";
    case FindingKind::Livelock:
      return "Threads keep running but none of them gets any further.";
    case FindingKind::Failure:
      return "A run crashed, asserted or printed something else than other runs, and no error above explains "
             "it yet.";
  }
  CHECK(false, "unknown kind of finding");
}

std::string_view verdict_meaning(Verdict verdict) {
  switch (verdict) {
    case Verdict::Refuted:
      return "Evidence against a finding: within the scope named beside it, the error cannot happen.";
    case Verdict::Suspected:
      return "An analysis that can be wrong says so, or one that had incomplete data. It may be a false "
             "alarm.";
    case Verdict::Predicted:
      return "Another feasible schedule of the same run shows it: a checked witness is attached, or a "
             "theorem promises "
             "it (the finding's guarantee says which).";
    case Verdict::Observed:
      return "It happened in the recorded run.";
    case Verdict::Confirmed:
      return "The program was run again under a chosen schedule, and it happened.";
    case Verdict::Failing:
      return "It happened in a run that then crashed, asserted, deadlocked or gave another result.";
  }
  CHECK(false, "unknown verdict");
}

std::optional<int> parse_pattern(std::string_view topic) {
  int number = 0;
  const auto [end, error] = std::from_chars(topic.data(), topic.data() + topic.size(), number);
  if (error != std::errc() || end != topic.data() + topic.size()) return std::nullopt;
  if (number < kManyUnits || number > kAccessPatterns) return std::nullopt;
  return number;
}

std::string pattern_text(int number) {
  return number == kManyUnits ? "a cycle through three or more units" : to_string(access_pattern(number));
}

constexpr std::string_view kWitness = "witness";
constexpr std::string_view kWitnessMeaning =
    "Another order of the recorded run that has the race or the deadlock: every thread does the first part "
    "of "
    "what it did, every read sees the write that it saw, and locks exclude each other, so the program can "
    "run "
    "like that. A checker of its own has judged it. Looked for are orders that keep that of critical "
    "sections, "
    "and in short traces all. The trace must have all accesses but repetitions: record with "
    "--filter=segment. "
    "ravel analyze --witnesses DIR writes it as a trace and as a schedule for ravel replay. Verdict: "
    "predicted.";

std::vector<std::string> topics() {
  std::vector<std::string> names;
  for (const AnalysisInfo& info : analyses()) names.emplace_back(info.name);
  for (const FindingKind kind : kKinds)
    if (std::ranges::find(names, to_string(kind)) == names.end()) names.emplace_back(to_string(kind));
  names.emplace_back(kWitness);
  for (const std::string& verdict : verdict_names()) names.push_back(verdict);
  names.emplace_back(to_string(Verdict::Refuted));
  return names;
}

std::string explain_all() {
  std::string out = "Analyses (* runs by default):\n";
  for (const AnalysisInfo& info : analyses())
    out += fmt::format(" {} {:<17}{}\n", info.by_default ? '*' : ' ', info.name, info.summary);
  out += "\nKinds of findings:\n";
  for (const FindingKind kind : kKinds) out += fmt::format("   {}\n", to_string(kind));
  out += "\nVerdicts, weakest first (refuted is evidence against):\n   refuted\n";
  for (const std::string& verdict : verdict_names()) out += fmt::format("   {}\n", verdict);
  out += fmt::format("\nEvidence that no analysis gives:\n   {}\n", kWitness);
  out += "\nAccess patterns (R read, W write, u and v units of work, x and y memory locations):\n";
  for (int number = kManyUnits; number <= kAccessPatterns; ++number)
    out += fmt::format("   {:<3}{}\n", number, pattern_text(number));
  return out + "\nravel explain NAME tells more about one of them.\n";
}

Result<std::string> explain(std::string topic) {
  const bool suspected = topic.ends_with(kSuspectedSuffix);
  if (suspected) topic.resize(topic.size() - kSuspectedSuffix.size());
  // A kind of finding may have the name of the analysis that finds it.
  std::string text;
  for (const FindingKind kind : kKinds) {
    if (to_string(kind) != topic) continue;
    text = fmt::format("{}\n\n{}\n", topic, wrap(kind_meaning(kind), 0));
    if (suspected) text += fmt::format("\nsuspected\n\n{}\n", wrap(verdict_meaning(Verdict::Suspected), 0));
  }
  for (const AnalysisInfo& info : analyses())
    if (info.name == topic)
      text +=
          fmt::format("{}{}: {}\n\n{}\n", text.empty() ? "" : "\n", info.name, info.summary, info.explain);
  if (topic == kWitness) text = fmt::format("{}\n\n{}\n", topic, wrap(kWitnessMeaning, 0));
  if (!text.empty()) return text;
  if (const auto verdict = verdict_from(topic))
    return fmt::format("{}\n\n{}\n", topic, wrap(verdict_meaning(*verdict), 0));
  if (const auto number = parse_pattern(topic)) {
    return fmt::format("access pattern {}: {}\n\n{}{}.\n", *number, pattern_text(*number),
                       *number == kManyUnits ? ""
                       : *number <= kPublishedPatterns
                           ? "Published by Hammer et al. 2008. "
                           : "Not among the published ones of Hammer et al. 2008. ",
                       pattern_meaning(*number));
  }
  return fail(
      fmt::format("nothing is called '{}'{} (see ravel explain)", topic, did_you_mean(topic, topics())));
}

class Explain : public Command {
 public:
  std::string_view name() const override { return "explain"; }
  std::string_view summary() const override { return "Explain an analysis or a word of a report"; }

  void define(CLI::App& app) override {
    app.add_option(
           "NAME", topic_,
           "An analysis, a rule (in brackets in a report), a verdict or the number of an access pattern; "
           "without it all of them are listed")
        ->type_name("NAME")
        ->check(CLI::Validator([](const std::string&) { return std::string(); }, completion_choices()));
    app.footer("Examples:\n  ravel explain\n  ravel explain race\n  ravel explain hb");
  }

  Result<int> run(Session& session) override {
    const auto text = topic_.empty() ? Result<std::string>(explain_all()) : explain(topic_);
    if (!text) return std::unexpected(text.error());
    return session.console.deliver(*text);
  }

 private:
  static std::string completion_choices() { return fmt::format("{{{}}}", fmt::join(topics(), ",")); }

  std::string topic_;
};

const RegisterCommand<Explain> kRegister;

}  // namespace
}  // namespace ravel
