// FindingStore: findings by id, evidence merged.
#pragma once

#include <string>
#include <vector>

#include "event/result.h"
#include "report/finding.h"

namespace ravel {

/// Collects findings; one entry per id. Owned by one thread.
class FindingStore {
 public:
  /// Adds a finding or, if its id is known, its evidence and occurrences to the known one. Of the descriptive
  /// parts (events, steps, stacks, ...) those with the stronger verdict stay; between equals the first.
  void add(Finding finding);

  /// Best verdict first; between equals in the order of their first event, then of arrival.
  std::vector<Finding> sorted() const;

  /// Ids for which evidence of `predicted` or better meets a refutation of the same scope: a bug of ravel
  /// (exit 70).
  std::vector<std::string> contradictions() const;

  std::size_t size() const { return findings_.size(); }

 private:
  std::vector<Finding> findings_;
};

}  // namespace ravel
