// RetiredVariables: where variables were that are gone before an analysis reports about them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "event/ids.h"

namespace ravel {

/// For an analysis that reports late: between an access and its report the variable's number may have become
/// another's.
class RetiredVariables {
 public:
  void add(std::uint64_t position, VariableId variable, std::uint64_t address) {
    all_.push_back({position, variable, address});
  }
  /// The address of what the event at `position` accessed, if it has been retired since.
  std::optional<std::uint64_t> address(VariableId variable, std::uint64_t position) const {
    const auto since = std::ranges::lower_bound(all_, position, {}, &Retired::position);
    const auto gone = std::ranges::find(since, all_.end(), variable, &Retired::variable);
    return gone == all_.end() ? std::nullopt : std::optional(gone->address);
  }
  void clear() { all_.clear(); }

 private:
  struct Retired {
    std::uint64_t position;
    VariableId variable;
    std::uint64_t address;
  };
  std::vector<Retired> all_;  ///< by position
};

}  // namespace ravel
