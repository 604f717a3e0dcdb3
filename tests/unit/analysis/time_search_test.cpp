// The search near where evenly spaced times would be finds what a binary search does.
#include "analysis/time_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace ravel {
namespace {

TEST(TimeSearch, FindsWhatABinarySearchDoes) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    // Even, uneven, and with long pauses.
    const std::uint64_t most = std::uint64_t{1} << (random() % 20);
    std::vector<std::uint64_t> times;
    std::uint64_t now = random() % 10;
    for (std::size_t i = random() % 300; i > 0; --i)
      times.push_back(now += 1 + (random() % 8 == 0 ? random() % most : 0));
    for (int look = 0; look < 50; ++look) {
      const std::uint64_t then = random() % (now + 3);
      const auto expected = static_cast<std::size_t>(std::ranges::upper_bound(times, then) - times.begin());
      EXPECT_EQ(count_until(times.size(), then, [&](std::size_t i) { return times[i]; }), expected)
          << "of " << times.size() << " times, until " << then;
    }
  }
}

TEST(TimeSearch, TakesTimesThatNeverCome) {
  const std::vector<std::uint64_t> times = {3, 5};
  const auto time = [&](std::size_t i) { return times[i]; };
  EXPECT_EQ(count_until(0, 7, time), 0U);
  EXPECT_EQ(count_until(2, 0, time), 0U);
  EXPECT_EQ(count_until(2, ~std::uint64_t{0}, time), 2U);
}

}  // namespace
}  // namespace ravel
