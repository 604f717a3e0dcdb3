// FindingStore: findings by id, evidence merged.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "report/finding.h"

namespace ravel {

/// Collects findings; one entry per id. Owned by one thread.
class FindingStore {
 public:
  /// Adds a finding or, if its id is known, its evidence and occurrences to the known one.
  ///
  /// Evidence that says the same (analysis, verdict, scope and guarantee) is kept once. What describes the
  /// finding (events, steps, stacks, ...) stays together and comes from the stronger verdict, between equals
  /// from the first; a pattern or unit that only the other one names is kept. Several analyses that see the
  /// same occurrences of one scope count them once.
  void add(Finding finding);

  /// Best verdict first; between equals in the order of their first event, then of arrival.
  std::vector<Finding> sorted() const;

  /// Ids of contradictory findings, in order of arrival: a bug of ravel (exit 70).
  std::vector<std::string> contradictions() const;

  std::size_t size() const { return entries_.size(); }

 private:
  /// How often one analysis has seen the finding in one scope.
  struct Count {
    std::string scope;
    std::string analysis;
    std::uint64_t occurrences = 0;
  };
  struct Entry {
    Finding finding;
    std::vector<Count> counts;
  };

  static void count(Entry& entry, const Finding& finding);

  std::vector<Entry> entries_;
  boost::unordered_flat_map<std::string, std::size_t> index_;  ///< id -> entry
};

}  // namespace ravel
