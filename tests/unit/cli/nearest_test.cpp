#include "cli/nearest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace ravel {
namespace {

TEST(NearestTest, CountsEditsAndSwapsOfNeighbours) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("analyse", "analyze"), 1U);
  EXPECT_EQ(edit_distance("anlayze", "analyze"), 1U);
  EXPECT_EQ(edit_distance("tid", "std"), 2U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

RC_GTEST_PROP(NearestProperty, DistanceIsSymmetricAndZeroOnlyForEqualWords, (std::string a, std::string b)) {
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
}

TEST(NearestTest, SuggestsOnlyWhatIsAlike) {
  const std::vector<std::string> names = {"analyze", "convert", "man"};
  EXPECT_EQ(nearest("analyse", names), "analyze");
  EXPECT_EQ(nearest("mna", names), "man");
  EXPECT_EQ(nearest("xyzzyx", names), "");
  EXPECT_EQ(nearest(std::string(1000, 'a'), names), "");
  EXPECT_EQ(did_you_mean("covnert", names), "; did you mean 'convert'?");
  EXPECT_EQ(did_you_mean("q", names), "");
}

}  // namespace
}  // namespace ravel
