#include "analysis/witnesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ranges>
#include <system_error>
#include <utility>

#include "analysis/chain.h"
#include "analysis/witness_search.h"
#include "trace/output_file.h"
#include "witness/exhaustive_witnesses.h"
#include "witness/witness.h"

namespace ravel {
namespace {

/// Pairs of events that are tried for one finding: analyses may have different ones.
constexpr std::size_t kMostGoals = 4;

std::optional<WitnessGoal> goal_of(FindingKind kind, const std::vector<std::uint64_t>& events) {
  if (kind == FindingKind::Race && events.size() == 2) return WitnessGoal{WitnessGoal::Kind::Race, events};
  if (kind != FindingKind::Deadlock || events.size() < 4) return std::nullopt;
  WitnessGoal goal{WitnessGoal::Kind::Deadlock, {}};
  for (std::size_t i = 1; i < events.size(); i += 2) goal.events.push_back(events[i]);
  return goal;
}

/// A finding and what its witness may end with, the best first.
struct Wanted {
  Finding* finding;
  std::vector<WitnessGoal> goals;
};

std::vector<WitnessGoal> goals_of(const Finding& finding, const std::string& scope) {
  std::vector<WitnessGoal> goals;
  for (const Evidence& evidence : finding.evidence) {
    if (evidence.scope != scope || evidence.verdict == Verdict::Refuted || goals.size() == kMostGoals)
      continue;
    auto goal = goal_of(finding.kind, evidence.events);
    if (goal && std::ranges::find(goals, *goal) == goals.end()) goals.push_back(std::move(*goal));
  }
  return goals;
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

/// The finding's evidence says that there is no witness. What is only suspected owes none.
void tell_none(Finding& finding, const std::string& why, bool rejected = false,
               Verdict least = Verdict::Predicted) {
  for (Evidence& evidence : finding.evidence) {
    if (evidence.verdict < least || evidence.verdict > Verdict::Predicted) continue;
    evidence.guarantee += fmt::format("{}no witness: {}", evidence.guarantee.empty() ? "" : "; ", why);
    if (rejected) evidence.verdict = Verdict::Suspected;
  }
}

/// Writes what there is of the witness, and says so in its evidence.
Result<void> export_witness(const Witness& witness, const Finding& finding, const std::string& directory,
                            Evidence& evidence) {
  const std::string stem = (std::filesystem::path(directory) / finding.id).string();
  std::string comment =
      fmt::format("{}\nA correct reordering of the recorded run that shows it.", finding.message);
  const auto schedule = witness_schedule(witness);
  if (schedule) {
    evidence.schedule = stem + ".json";
    if (auto wrote = write_file(evidence.schedule, *schedule); !wrote) return wrote;
  } else {
    comment += fmt::format("\nNo schedule: {}.", schedule.error());
    evidence.guarantee += fmt::format(" in {}.tid; no schedule: {}", stem, schedule.error());
  }
  return write_file(stem + ".tid", witness_text(witness, comment));
}

/// What came of the search for one finding.
struct Outcome {
  bool found = false;
  std::string why;  ///< if not: the checker's word, else the answer to the first goal
  bool rejected = false;
};

/// Takes the answers to the goals of all findings, one at a time.
class Answers {
 public:
  Answers(const std::vector<Wanted>& wanted, std::string scope, const WitnessOptions& options)
      : wanted_(wanted), scope_(std::move(scope)), options_(options), outcomes_(wanted.size()) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      finding_of_.resize(finding_of_.size() + wanted[i].goals.size(), i);
  }

  std::vector<WitnessGoal> goals() const {
    std::vector<WitnessGoal> goals;
    for (const Wanted& one : wanted_) goals.insert(goals.end(), one.goals.begin(), one.goals.end());
    return goals;
  }
  bool is_open(std::size_t goal) const { return !outcomes_[finding_of_[goal]].found; }

  void none(std::size_t goal, const std::string& why, bool rejected = false) {
    Outcome& outcome = outcomes_[finding_of_[goal]];
    if (!outcome.why.empty() && !(rejected && !outcome.rejected)) return;
    outcome.why = why;
    outcome.rejected = rejected;
  }

  Result<void> found(std::size_t goal, const Witness& witness) {
    Outcome& outcome = outcomes_[finding_of_[goal]];
    if (outcome.found) return {};
    outcome.found = true;
    Finding& finding = *wanted_[finding_of_[goal]].finding;
    Evidence evidence{.analysis = "witness",
                      .verdict = Verdict::Predicted,
                      .scope = scope_,
                      .events = witness.goal.events,
                      .guarantee = fmt::format("a checked reordering of {} events", witness.sequence.size()),
                      .schedule = {}};
    if (!options_.directory.empty())
      if (auto exported = export_witness(witness, finding, options_.directory, evidence); !exported)
        return exported;
    const auto behind = std::ranges::upper_bound(finding.evidence, evidence.verdict, std::ranges::greater{},
                                                 &Evidence::verdict);
    finding.evidence.insert(behind, std::move(evidence));
    return {};
  }

  void tell() {
    for (std::size_t i = 0; i < wanted_.size(); ++i)
      if (!outcomes_[i].found) tell_none(*wanted_[i].finding, outcomes_[i].why, outcomes_[i].rejected);
  }

 private:
  const std::vector<Wanted>& wanted_;
  std::string scope_;
  const WitnessOptions& options_;
  std::vector<Outcome> outcomes_;        ///< by finding
  std::vector<std::size_t> finding_of_;  ///< by goal
};

/// Reorderings that keep the order of critical sections.
Result<void> keep_sections(TraceReader& trace, Answers& answers) {
  const std::vector<WitnessGoal> goals = answers.goals();
  std::vector<WitnessSearch::Found> cuts;
  std::vector<std::unique_ptr<Analysis>> search;
  search.push_back(std::make_unique<WitnessSearch>(goals, cuts));
  IgnoringSink sink;
  if (auto run = run_chain(trace, search, sink); !run) return run;
  search.clear();
  std::vector<WitnessTask> tasks;
  std::vector<std::size_t> goal_of_task;
  for (std::size_t i = 0; i < goals.size(); ++i) {
    if (!cuts[i]) {
      answers.none(i, cuts[i].error());
      continue;
    }
    tasks.push_back({goals[i], std::move(*cuts[i])});
    goal_of_task.push_back(i);
  }
  return build_witnesses(trace, std::move(tasks),
                         [&](std::size_t task, const WitnessAnswer& answer) -> Result<void> {
                           if (answer) return answers.found(goal_of_task[task], *answer);
                           answers.none(goal_of_task[task], answer.error().why, answer.error().rejected);
                           return {};
                         });
}

/// All reorderings, if the trace is short.
Result<void> try_all_orders(TraceReader& trace, Answers& answers) {
  const std::vector<WitnessGoal> goals = answers.goals();
  if (std::ranges::none_of(std::views::iota(std::size_t{0}, goals.size()),
                           [&](std::size_t i) { return answers.is_open(i); }))
    return {};
  if (auto rewound = trace.rewind(); !rewound) return rewound;
  const auto search = ExhaustiveWitnesses::of(trace);
  if (!search) return {};  // it is long
  for (std::size_t i = 0; i < goals.size(); ++i) {
    if (!answers.is_open(i)) continue;
    if (const auto witness = search->find(goals[i]))
      if (auto found = answers.found(i, *witness); !found) return found;
  }
  return {};
}

/// Which findings get one, the predicted ones first.
std::vector<Wanted> choose(TraceReader& trace, std::vector<Finding>& findings,
                           const WitnessOptions& options) {
  std::vector<Wanted> wanted;
  std::vector<Verdict> verdicts = {Verdict::Predicted};
  // Synchronization that is not in the trace may order what a reordering of the trace does not.
  if (trace.header().unseen_libraries.empty()) verdicts.push_back(Verdict::Suspected);
  if (!options.directory.empty()) verdicts.push_back(Verdict::Observed);
  for (const Verdict verdict : verdicts) {
    for (Finding& finding : findings) {
      if (finding.verdict() != verdict || finding.closed()) continue;
      if (finding.kind == FindingKind::Deadlock && verdict == Verdict::Observed) continue;
      auto goals = goals_of(finding, trace.path());
      if (goals.empty()) continue;
      if (wanted.size() < kMostWitnesses)
        wanted.push_back({&finding, std::move(goals)});
      else
        tell_none(finding, fmt::format("only the first {} findings have one", kMostWitnesses));
    }
  }
  return wanted;
}

}  // namespace

Result<void> add_witnesses(TraceReader& trace, std::vector<Finding>& findings,
                           const WitnessOptions& options) {
  const std::vector<Wanted> wanted = choose(trace, findings, options);
  if (wanted.empty()) return {};
  if (trace.header().filter > WitnessSearch::kFilter) {
    for (const Wanted& one : wanted)
      tell_none(*one.finding,
                "the recorder dropped accesses that it depends on; record with --filter=segment", false,
                Verdict::Suspected);
    return {};
  }
  if (!options.directory.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.directory, error);
    if (error) return fail(fmt::format("cannot make the directory: {}", error.message()), options.directory);
  }
  Answers answers(wanted, trace.path(), options);
  if (auto rewound = trace.rewind(); !rewound) {
    for (const Wanted& one : wanted) tell_none(*one.finding, "the trace can be read only once");
    return {};
  }
  if (auto searched = keep_sections(trace, answers); !searched) return searched;
  if (auto tried = try_all_orders(trace, answers); !tried) return tried;
  answers.tell();
  return {};
}

}  // namespace ravel
