#include "event/pattern.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace ravel {
namespace {

/// Whether two accesses of different units conflict.
bool conflict(const PatternAccess& a, const PatternAccess& b) {
  return a.by_v != b.by_v && a.second_location == b.second_location && (a.write || b.write);
}

/// Not conflict-serializable: the conflict graph of the two units has edges both ways.
bool is_cyclic(const std::vector<PatternAccess>& accesses) {
  bool u_before_v = false, v_before_u = false;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    for (std::size_t j = i + 1; j < accesses.size(); ++j)
      if (conflict(accesses[i], accesses[j])) (accesses[i].by_v ? v_before_u : u_before_v) = true;
  }
  return u_before_v && v_before_u;
}

std::vector<PatternAccess> accesses_of(const AccessPattern& pattern) {
  return {pattern.accesses.begin(), pattern.accesses.begin() + pattern.length};
}

/// The pattern with the first unit called u and the first location x.
std::string normal_form(std::vector<PatternAccess> accesses) {
  const bool swap_units = accesses[0].by_v, swap_locations = accesses[0].second_location;
  AccessPattern pattern;
  for (PatternAccess access : accesses) {
    access.by_v ^= swap_units;
    access.second_location ^= swap_locations;
    pattern.accesses[pattern.length++] = access;
  }
  return to_string(pattern);
}

TEST(AccessPatterns, AreDistinctUpToNames) {
  std::set<std::string> all;
  for (int i = 1; i <= kAccessPatterns; ++i)
    EXPECT_TRUE(all.insert(normal_form(accesses_of(access_pattern(i)))).second) << i;
}

TEST(AccessPatterns, AreMinimalCycles) {
  for (int i = 1; i <= kAccessPatterns; ++i) {
    const std::vector<PatternAccess> accesses = accesses_of(access_pattern(i));
    EXPECT_TRUE(is_cyclic(accesses)) << to_string(access_pattern(i));
    for (std::size_t left_out = 0; left_out < accesses.size(); ++left_out) {
      auto fewer = accesses;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(left_out));
      EXPECT_FALSE(is_cyclic(fewer)) << to_string(access_pattern(i));
    }
  }
}

TEST(AccessPatterns, AreComplete) {
  std::set<std::string> known;
  for (int i = 1; i <= kAccessPatterns; ++i) known.insert(normal_form(accesses_of(access_pattern(i))));
  // Every sequence of up to four accesses by two units to two locations: a cyclic one contains a known
  // pattern.
  for (std::size_t length = 2; length <= 4; ++length) {
    for (unsigned code = 0; code < 1u << (3 * length); ++code) {
      std::vector<PatternAccess> accesses;
      for (std::size_t i = 0; i < length; ++i) {
        const unsigned bits = code >> (3 * i);
        accesses.push_back({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
      }
      if (!is_cyclic(accesses)) continue;
      bool found = known.contains(normal_form(accesses));
      for (std::size_t left_out = 0; left_out < length && !found; ++left_out) {
        auto fewer = accesses;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(left_out));
        found = known.contains(normal_form(fewer));
      }
      EXPECT_TRUE(found) << normal_form(accesses);
    }
  }
}

TEST(AccessPatterns, PublishedOnesComeFirst) {
  // Hammer et al. 2008, Fig. 2: first five over one location, the others over two.
  const std::vector<std::string> published = {
      "Ru(x) Wv(x) Wu(x)",       "Ru(x) Wv(x) Ru(x)",       "Wu(x) Rv(x) Wu(x)",
      "Wu(x) Wv(x) Ru(x)",       "Wu(x) Wv(x) Wu(x)",       "Wu(x) Wv(x) Wv(y) Wu(y)",
      "Wu(x) Wv(y) Wv(x) Wu(y)", "Wu(x) Wv(y) Wu(y) Wv(x)", "Wu(x) Rv(x) Rv(y) Wu(y)",
      "Wu(x) Rv(y) Rv(x) Wu(y)", "Ru(x) Wv(x) Wv(y) Ru(y)", "Ru(x) Wv(y) Wv(x) Ru(y)",
      "Ru(x) Wv(y) Ru(y) Wv(x)", "Wu(x) Rv(y) Wu(y) Rv(x)"};
  ASSERT_EQ(published.size(), static_cast<std::size_t>(kPublishedPatterns));
  for (int i = 1; i <= kPublishedPatterns; ++i)
    EXPECT_EQ(to_string(access_pattern(i)), published[static_cast<std::size_t>(i - 1)]);
}

TEST(AccessPatterns, AllHaveAMeaning) {
  for (int i = kManyUnits; i <= kAccessPatterns; ++i) EXPECT_FALSE(pattern_meaning(i).empty()) << i;
}

}  // namespace
}  // namespace ravel
