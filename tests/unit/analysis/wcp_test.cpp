// Which verdict wcp gives, and what it finds beyond cp.
#include "analysis/wcp.h"

#include <gtest/gtest.h>

#include "support/detect.h"
#include "trace/format.h"

namespace ravel {
namespace {

std::vector<Detected> golden(const std::string& name) {
  const auto trace = open_trace(RAVEL_SOURCE_DIR "/tests/traces/" + name);
  EXPECT_TRUE(trace) << trace.error().text();
  return detect(**trace, "wcp");
}

TEST(Wcp, FirstRaceIsPredicted) {
  const auto found = golden("sadowski/fig-10.2-a.tid");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().verdict, Verdict::Predicted);
}

// Rule (a) leads to the clashing access, not to the acquire before it.
TEST(Wcp, AClashOrdersOnlyWhatFollowsIt) {
  const char* trace = "wr 1 x\nacq 1 l\nwr 1 y\nrel 1 l\nacq 2 l\nwr 2 x\nwr 2 y\nrel 2 l\n";
  EXPECT_EQ(summary(detect(trace, "cp")), "none");
  const auto found = detect(trace, "wcp");
  EXPECT_EQ(summary(found), "race x");
  EXPECT_EQ(found.front().verdict, Verdict::Predicted);
  EXPECT_EQ(summary(detect("wr 1 x\nacq 1 l\nwr 1 y\nrel 1 l\nacq 2 l\nwr 2 y\nwr 2 x\nrel 2 l\n", "wcp")),
            "none");
}

TEST(Wcp, NonNestedReleaseIsOnlySuspected) {
  const auto found = golden("algorithms/cp-unsound-non-nested-release.tid");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().verdict, Verdict::Suspected);
}

TEST(Wcp, ARaceIsAnEdgeForTheNext) {
  const char* name = RAVEL_SOURCE_DIR "/tests/traces/algorithms/cp-later-race-is-false.tid";
  EXPECT_EQ(golden("algorithms/cp-later-race-is-false.tid").size(), 1U);
  const auto raw = detect(**open_trace(name), make_wcp({.continuation = false}));
  ASSERT_EQ(raw.size(), 3U);
  EXPECT_EQ(raw[0].verdict, Verdict::Predicted);
  EXPECT_EQ(raw[1].verdict, Verdict::Suspected);
}

TEST(Wcp, WithHookOrderOnlyTheFirstIsPredicted) {
  const auto found = detect("# access order: hook\nwr 1 x\nwr 1 y\nwr 2 x\nwr 2 y\n", "wcp");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].verdict, Verdict::Predicted);
  EXPECT_EQ(found[1].verdict, Verdict::Suspected);
}

// Between these accesses others may have been, whose races would be edges.
TEST(Wcp, WithoutAllAccessesOnlyTheFirstIsPredicted) {
  for (const std::string filter : {"segment", "owner"}) {
    const auto found = detect("# filter: " + filter + "\nwr 1 x\nwr 2 x\nwr 2 y\nwr 1 y\n", "wcp");
    ASSERT_EQ(found.size(), 2U) << filter;
    EXPECT_EQ(found[0].verdict, Verdict::Predicted) << filter;
    EXPECT_EQ(found[1].verdict, Verdict::Suspected) << filter;
  }
}

// If thread 1 has written again after its read, as a recorder that drops repetitions would not say, thread 2
// read that: no reordering has a race of the two accesses that are left.
TEST(Wcp, ARaceWithWhatMayBeRepeatedIsNotPredicted) {
  const auto found =
      detect("# filter: segment\nwr 1 x\nwait 1 c\nnotify 2 c\nrd 1 x\nrd 2 x\nwr 2 x\n", "wcp");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().verdict, Verdict::Suspected);
}

TEST(Wcp, UnorderedAtomicAccessesEndThePromise) {
  const auto found = detect("wr 1 x\nst 1 f relaxed\nld 2 f relaxed\nwr 2 x\n", "wcp");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().verdict, Verdict::Suspected);
}

// Thread 3 arrives when the round of threads 1 and 2 is full. Had it come earlier, it would be part of that
// round: no reordering has it there.
TEST(Wcp, ALaterRoundStaysLater) {
  EXPECT_EQ(
      summary(detect("rd 1 x\narrive 1 b\narrive 2 b\nleave 1 b\nleave 2 b\narrive 3 b\nwr 3 x\n", "wcp")),
      "none");
  EXPECT_EQ(
      summary(detect("arrive 1 b\nrd 1 x\narrive 2 b\nleave 1 b\nleave 2 b\narrive 3 b\nwr 3 x\n", "wcp")),
      "race x");
}

}  // namespace
}  // namespace ravel
