#include "cli/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ravel {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows i-2, i-1 and i of the usual table.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string> names) {
  constexpr std::size_t kLongestWord = 64;  // a longer one is no typing mistake, and the table would be large
  if (word.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t best_distance = word.size() / 3 + 2;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (distance < best_distance && distance < name.size()) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const std::string_view name = nearest(word, names);
  return name.empty() ? std::string() : fmt::format("; did you mean '{}'?", name);
}

}  // namespace ravel
