#include "report/finding.h"

#include <algorithm>

#include "event/check.h"

namespace ravel {
namespace {

/// The evidence behind the verdict: the first of the highest rung; nullptr if all of it is against the
/// finding.
const Evidence* strongest(const std::vector<Evidence>& evidence) {
  const Evidence* best = nullptr;
  for (const Evidence& one : evidence) {
    if (one.verdict == Verdict::Refuted) continue;
    if (best == nullptr || one.verdict > best->verdict) best = &one;
  }
  return best;
}

bool is_refuted_in(const std::vector<Evidence>& evidence, const std::string& scope) {
  return std::ranges::any_of(
      evidence, [&](const Evidence& one) { return one.verdict == Verdict::Refuted && one.scope == scope; });
}

}  // namespace

std::string_view to_string(FindingKind kind) {
  switch (kind) {
#define X(name, text)     \
  case FindingKind::name: \
    return text;
    RAVEL_FINDING_KINDS(X)
#undef X
  }
  CHECK(false, "unknown kind of finding");
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
#define X(name, text) \
  case Verdict::name: \
    return text;
    RAVEL_VERDICTS(X)
#undef X
  }
  CHECK(false, "unknown verdict");
}

std::optional<FindingKind> finding_kind_from(std::string_view text) {
#define X(name, kind_text) \
  if (text == (kind_text)) return FindingKind::name;
  RAVEL_FINDING_KINDS(X)
#undef X
  return std::nullopt;
}

std::optional<Verdict> verdict_from(std::string_view text) {
#define X(name, verdict_text) \
  if (text == (verdict_text)) return Verdict::name;
  RAVEL_VERDICTS(X)
#undef X
  return std::nullopt;
}

Verdict Finding::verdict() const {
  const Evidence* best = strongest(evidence);
  return best == nullptr ? Verdict::Suspected : best->verdict;
}

std::string_view Finding::analysis() const {
  const Evidence* best = strongest(evidence);
  return best == nullptr ? std::string_view() : std::string_view(best->analysis);
}

bool Finding::closed() const {
  const bool refuted =
      std::ranges::any_of(evidence, [](const Evidence& one) { return one.verdict == Verdict::Refuted; });
  return refuted && std::ranges::all_of(evidence, [&](const Evidence& one) {
           return one.verdict == Verdict::Refuted ||
                  (one.verdict == Verdict::Suspected && is_refuted_in(evidence, one.scope));
         });
}

bool Finding::contradictory() const {
  return std::ranges::any_of(evidence, [&](const Evidence& one) {
    return one.verdict >= Verdict::Predicted && is_refuted_in(evidence, one.scope);
  });
}

}  // namespace ravel
