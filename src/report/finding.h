// Finding: one concurrency error, with all the evidence for and against it. What every analysis produces,
// what every printer prints, what the store keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ravel {

// X(name, text in JSON and messages)
#define RAVEL_FINDING_KINDS(X) \
  X(Race, "race")              \
  X(Deadlock, "deadlock")      \
  X(Atomicity, "atomicity")    \
  X(AtomicSet, "atomic-set")   \
  X(LostWakeup, "lost-wakeup") \
  X(Livelock, "livelock")      \
  X(Failure, "failure")

// The ladder of evidence, lowest rung first. `refuted` is evidence against, never a rung.
#define RAVEL_VERDICTS(X)   \
  X(Refuted, "refuted")     \
  X(Suspected, "suspected") \
  X(Predicted, "predicted") \
  X(Observed, "observed")   \
  X(Confirmed, "confirmed") \
  X(Failing, "failing")

#define X(name, text) name,
enum class FindingKind : std::uint8_t { RAVEL_FINDING_KINDS(X) };
enum class Verdict : std::uint8_t { RAVEL_VERDICTS(X) };
#undef X

std::string_view to_string(FindingKind kind);
std::string_view to_string(Verdict verdict);
/// The inverses; nothing: no such text.
std::optional<FindingKind> finding_kind_from(std::string_view text);
std::optional<Verdict> verdict_from(std::string_view text);

/// One analysis' word on a finding.
struct Evidence {
  std::string analysis;
  Verdict verdict = Verdict::Suspected;
  std::string scope;  ///< where it holds: the trace (and window), or the model with its bounds
  std::vector<std::uint64_t> events;  ///< positions in the trace
  std::string guarantee;              ///< the theorem or witness behind the verdict; empty: none
  std::string schedule;               ///< path of a schedule that shows it; empty: none

  friend bool operator==(const Evidence&, const Evidence&) = default;
};

/// One step of an interleaving, for people and tools.
struct FindingStep {
  std::string thread;
  std::string place;
  std::string operation;  ///< "write", "acquire", ...
  std::string object;
  std::vector<std::string> locks;  ///< held during the step
  std::string value;               ///< empty: unknown
  std::uint64_t event = 0;         ///< position in the trace

  friend bool operator==(const FindingStep&, const FindingStep&) = default;
};

struct Frame {
  std::string function;
  std::string place;

  friend bool operator==(const Frame&, const Frame&) = default;
};

struct Finding {
  std::string id;  ///< fingerprint.h
  FindingKind kind = FindingKind::Race;
  std::vector<Evidence> evidence;  ///< the strongest first
  std::string object;
  std::string pattern;  ///< access pattern, where it applies
  std::string unit;     ///< blamed unit of work
  std::vector<std::uint64_t> events;
  std::vector<std::string> threads;
  std::vector<std::string> places;
  std::vector<FindingStep> steps;
  std::vector<std::vector<Frame>> stacks;  ///< one per event, innermost frame first; empty: not recorded
  std::string benign;                      ///< why it looks harmless; empty: it does not
  std::string outcome;                     ///< what the failing run did
  std::string message;
  std::uint64_t occurrences = 1;

  /// Highest rung of the evidence (Suspected if there is only refuting evidence).
  Verdict verdict() const;
  /// The analysis behind the verdict; empty if all evidence is against the finding.
  std::string_view analysis() const;
  /// Only suspected, and refuted in every scope in which it was: not to be reported as an error.
  bool closed() const;
  /// Evidence of `predicted` or better meets a refutation of the same scope: a bug of ravel (exit 70).
  bool contradictory() const;
  /// Counts as an error for --fail-on (exit 66).
  bool reaches(Verdict fail_on) const { return !closed() && verdict() >= fail_on; }

  friend bool operator==(const Finding&, const Finding&) = default;
};

}  // namespace ravel
