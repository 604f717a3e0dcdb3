// What `deadlock` says of traces that lack accesses, which it reads once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/detect.h"

namespace ravel {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Deadlock, OfATraceThatLacksAccessesIsOnlySuspected) {
  const auto found = detect(
      "# filter: owner\nfork 0 1\nacq 0 a\nacq 0 b\nrel 0 b\nrel 0 a\nacq 1 b\nacq 1 a\nrel 1 a\nrel 1 b\n",
      "deadlock");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].verdict, Verdict::Suspected);
  EXPECT_THAT(found[0].events, ElementsAre(2, 3, 6, 7));
}

// The first requests of thread 0 are over before there is a thread 1; of the later ones the first is told.
TEST(Deadlock, OfATraceThatLacksAccessesIsShownWhereForksAllowIt) {
  const std::string both = "acq 0 a @f:1\nacq 0 b @f:2\nrel 0 b @f:3\nrel 0 a @f:4\n";
  const auto found = detect(
      "# filter: owner\n" + both + both + "fork 0 1\n" + both + both + "acq 1 b\nacq 1 a\nrel 1 a\nrel 1 b\n",
      "deadlock");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].events, ElementsAre(10, 11, 18, 19));
}

TEST(Deadlock, OfATraceThatLacksAccessesCanBeRuledOutByJoins) {
  EXPECT_THAT(detect("# filter: owner\n"
                     "fork 1 2\nacq 2 b\nacq 2 a\nrel 2 a\nrel 2 b\njoin 1 2\n"
                     "acq 1 a\nacq 1 b\nrel 1 b\nrel 1 a\n",
                     "deadlock"),
              IsEmpty());
}

// A wait that was notified is over after what the notifier did before.
TEST(Deadlock, OfATraceThatLacksAccessesCanBeRuledOutByNotifies) {
  EXPECT_THAT(detect("# filter: owner\n"
                     "acq 2 m\nwait 2 c\nrel 2 m\n"
                     "acq 1 a\nacq 1 b\nrel 1 b\nrel 1 a\n"
                     "notify 1 c\n"
                     "acq 2 m\nwake 2 c\nrel 2 m\n"
                     "acq 2 b\nacq 2 a\nrel 2 a\nrel 2 b\n",
                     "deadlock"),
              IsEmpty());
}

}  // namespace
}  // namespace ravel
