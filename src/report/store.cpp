#include "report/store.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ravel {
namespace {

bool says_the_same(const Evidence& a, const Evidence& b) {
  return a.analysis == b.analysis && a.verdict == b.verdict && a.scope == b.scope &&
         a.guarantee == b.guarantee;
}

/// Behind all that is as strong.
void insert(std::vector<Evidence>& into, Evidence one) {
  const auto place = std::ranges::upper_bound(into, one.verdict, std::ranges::greater{}, &Evidence::verdict);
  into.insert(place, std::move(one));
}

/// `into` is, and stays, sorted: the strongest first, between equals in order of arrival.
void merge_evidence(std::vector<Evidence>& into, std::vector<Evidence> from) {
  for (Evidence& one : from) {
    const auto known =
        std::ranges::find_if(into, [&](const Evidence& other) { return says_the_same(one, other); });
    if (known == into.end()) {
      insert(into, std::move(one));
    } else if (known->schedule.empty()) {
      known->schedule = std::move(one.schedule);
    }
  }
}

void fill_in(std::string& text, const std::string& other) {
  if (text.empty()) text = other;
}

std::uint64_t first_event(const Finding& finding) {
  return finding.events.empty() ? std::numeric_limits<std::uint64_t>::max()
                                : std::ranges::min(finding.events);
}

}  // namespace

void FindingStore::add(Finding finding) {
  const auto [known, fresh] = index_.try_emplace(finding.id, entries_.size());
  if (fresh) entries_.emplace_back();
  Entry& entry = entries_[known->second];
  count(entry, finding);
  std::uint64_t occurrences = 0;
  for (std::size_t i = 0; i < entry.counts.size(); ++i) {
    // The most that any analysis has seen in a scope, once per scope.
    const auto of_scope = [&](const Count& one) { return one.scope == entry.counts[i].scope; };
    const auto first = std::ranges::find_if(entry.counts, of_scope);
    if (first != entry.counts.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    std::uint64_t most = 0;
    for (const Count& one : entry.counts) most = of_scope(one) ? std::max(most, one.occurrences) : most;
    occurrences += most;
  }

  Finding& old = entry.finding;
  const bool replace = fresh || finding.verdict() > old.verdict();
  std::vector<Evidence> evidence = std::exchange(old.evidence, {});
  merge_evidence(evidence, std::exchange(finding.evidence, {}));
  // Only if all are.
  const bool benign = (fresh || !old.benign.empty()) && !finding.benign.empty();
  if (replace) std::swap(old, finding);
  if (!benign) old.benign.clear();
  old.evidence = std::move(evidence);
  fill_in(old.pattern, finding.pattern);
  fill_in(old.unit, finding.unit);
  old.occurrences = occurrences;
}

void FindingStore::count(Entry& entry, const Finding& finding) {
  const std::string_view analysis = finding.analysis();
  const auto behind = std::ranges::find_if(finding.evidence, [&](const Evidence& one) {
    return one.verdict == finding.verdict() && one.analysis == analysis;
  });
  const std::string scope = behind == finding.evidence.end() ? std::string() : behind->scope;
  const auto known = std::ranges::find_if(
      entry.counts, [&](const Count& one) { return one.scope == scope && one.analysis == analysis; });
  if (known == entry.counts.end()) {
    entry.counts.push_back({scope, std::string(analysis), finding.occurrences});
  } else {
    known->occurrences += finding.occurrences;
  }
}

std::vector<Finding> FindingStore::sorted() const {
  struct Rank {
    Verdict verdict;
    std::uint64_t first_event;
    std::size_t arrival;
  };
  std::vector<Rank> order;
  order.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    order.push_back({entry.finding.verdict(), first_event(entry.finding), order.size()});
  }
  std::ranges::sort(order, [](const Rank& a, const Rank& b) {
    if (a.verdict != b.verdict) return a.verdict > b.verdict;
    return std::pair(a.first_event, a.arrival) < std::pair(b.first_event, b.arrival);
  });
  std::vector<Finding> findings;
  findings.reserve(entries_.size());
  for (const Rank& rank : order) findings.push_back(entries_[rank.arrival].finding);
  return findings;
}

std::vector<std::string> FindingStore::contradictions() const {
  std::vector<std::string> ids;
  for (const Entry& entry : entries_) {
    if (entry.finding.contradictory()) ids.push_back(entry.finding.id);
  }
  return ids;
}

}  // namespace ravel
