// Stretches of a thread: from which time on which clock holds. Those of long ago may be kept less exactly.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace ravel {

/// Takes each two stretches for one, with the clock of the later: that orders more than it has to.
template <typename Stretch>
void halve(std::vector<Stretch>& all) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); i += 2) {
    const auto from = all[i].from;
    const std::size_t later = std::min(i + 1, all.size() - 1);
    if (later != kept) all[kept] = std::move(all[later]);
    all[kept++].from = from;
  }
  all.resize(kept);
}

}  // namespace ravel
