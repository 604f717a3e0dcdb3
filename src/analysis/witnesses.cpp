#include "analysis/witnesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "analysis/chain.h"
#include "analysis/witness_search.h"
#include "trace/output_file.h"
#include "witness/witness.h"

namespace ravel {
namespace {

/// What a witness of the finding would end with; nothing: it is of no kind that has one.
std::optional<WitnessGoal> goal_of(const Finding& finding) {
  if (finding.kind == FindingKind::Race && finding.events.size() == 2)
    return WitnessGoal{WitnessGoal::Kind::Race, finding.events};
  if (finding.kind != FindingKind::Deadlock || finding.verdict() >= Verdict::Observed) return std::nullopt;
  WitnessGoal goal{WitnessGoal::Kind::Deadlock, {}};
  for (std::size_t i = 1; i < finding.events.size(); i += 2) goal.events.push_back(finding.events[i]);
  if (goal.events.size() < 2) return std::nullopt;
  return goal;
}

class IgnoringSink final : public DetectionSink {
 public:
  void report(const Detection& /*detection*/) override {}
};

Result<void> write_file(const std::string& path, const std::string& text) {
  auto file = OutputFile::create(path);
  if (!file) return std::unexpected(file.error());
  if (auto wrote = file->write(text); !wrote) return wrote;
  return file->commit();
}

/// Writes what there is of the witness; the path of its schedule, or empty.
Result<std::string> export_witness(const Witness& witness, const Finding& finding, const std::string& directory) {
  const std::string stem = (std::filesystem::path(directory) / finding.id).string();
  std::string comment = fmt::format("{}\nA correct reordering of the recorded run that shows it.", finding.message);
  const auto schedule = witness_schedule(witness, finding.message);
  if (schedule) {
    if (auto wrote = write_file(stem + ".json", *schedule); !wrote) return std::unexpected(wrote.error());
  } else {
    comment += fmt::format("\nNo schedule: {}.", schedule.error());
  }
  if (auto wrote = write_file(stem + ".tid", witness_text(witness, comment)); !wrote)
    return std::unexpected(wrote.error());
  return schedule ? stem + ".json" : std::string();
}

/// The finding's evidence says that there is no witness.
void tell_none(Finding& finding, const std::string& why, bool rejected) {
  for (Evidence& evidence : finding.evidence) {
    if (evidence.verdict != Verdict::Predicted) continue;
    evidence.guarantee += fmt::format("{}no witness: {}", evidence.guarantee.empty() ? "" : "; ", why);
    if (rejected) evidence.verdict = Verdict::Suspected;
  }
}

void add_evidence(Finding& finding, Evidence evidence) {
  const auto behind =
      std::ranges::upper_bound(finding.evidence, evidence.verdict, std::ranges::greater{}, &Evidence::verdict);
  finding.evidence.insert(behind, std::move(evidence));
}

}  // namespace

Result<void> add_witnesses(TraceReader& trace, std::vector<Finding>& findings, const WitnessOptions& options) {
  struct Wanted {
    Finding* finding;
    WitnessGoal goal;
  };
  std::vector<Wanted> wanted;
  for (Finding& finding : findings) {
    const bool owed = finding.verdict() == Verdict::Predicted;
    if (!owed && options.directory.empty()) continue;
    auto goal = goal_of(finding);
    if (!goal) continue;
    if (wanted.size() < kMostWitnesses)
      wanted.push_back({&finding, std::move(*goal)});
    else if (owed)
      tell_none(finding, fmt::format("only the first {} findings have one", kMostWitnesses), false);
  }
  if (wanted.empty()) return {};
  if (!options.directory.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.directory, error);
    if (error) return fail(fmt::format("cannot make the directory: {}", error.message()), options.directory);
  }

  if (auto rewound = trace.rewind(); !rewound) {
    for (const Wanted& one : wanted) tell_none(*one.finding, "the trace can be read only once", false);
    return {};
  }
  std::vector<WitnessGoal> goals;
  for (const Wanted& one : wanted) goals.push_back(one.goal);
  std::vector<WitnessSearch::Found> cuts;
  std::vector<std::unique_ptr<Analysis>> search;
  search.push_back(std::make_unique<WitnessSearch>(goals, cuts));
  IgnoringSink sink;
  if (auto run = run_chain(trace, search, sink); !run) return run;
  search.clear();

  std::vector<WitnessTask> tasks;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (cuts[i]) tasks.push_back({goals[i], *cuts[i]});
  const auto built = build_witnesses(trace, std::move(tasks));
  if (!built) return std::unexpected(built.error());
  auto next = built->begin();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Finding& finding = *wanted[i].finding;
    if (!cuts[i]) {
      tell_none(finding, cuts[i].error(), false);
      continue;
    }
    const auto& witness = *next++;
    if (!witness) {
      tell_none(finding, witness.error(), witness.error().starts_with("the check"));
      continue;
    }
    std::string schedule;
    if (!options.directory.empty()) {
      auto exported = export_witness(*witness, finding, options.directory);
      if (!exported) return std::unexpected(exported.error());
      schedule = std::move(*exported);
    }
    add_evidence(finding, {.analysis = "witness",
                           .verdict = Verdict::Predicted,
                           .scope = trace.path(),
                           .events = wanted[i].goal.events,
                           .guarantee = fmt::format("a checked reordering of {} events", witness->sequence.size()),
                           .schedule = schedule});
  }
  return {};
}

}  // namespace ravel
