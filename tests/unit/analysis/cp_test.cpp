// Which verdict cp gives, and what it names.
#include "analysis/cp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/chain.h"
#include "support/detect.h"
#include "trace/format.h"

namespace ravel {
namespace {

std::vector<Detected> golden(const std::string& name) {
  const auto trace = open_trace(RAVEL_SOURCE_DIR "/tests/traces/" + name);
  EXPECT_TRUE(trace) << trace.error().text();
  return detect(**trace, "cp");
}

TEST(Cp, FirstRaceIsPredicted) {
  const auto found = golden("sadowski/fig-10.2-a.tid");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().verdict, Verdict::Predicted);
}

TEST(Cp, DeadlockCountsAsRace) {
  const auto found = golden("sadowski/fig-12.5-left.tid");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().verdict, Verdict::Predicted);
  const auto trace = open_trace(RAVEL_SOURCE_DIR "/tests/traces/sadowski/fig-12.5-left.tid");
  for (const char* analysis : {"cp", "wcp"}) {
    ASSERT_TRUE((*trace)->rewind());
    const auto findings = analyze(**trace, *find_analyses(analysis));
    ASSERT_TRUE(findings) << findings.error().text();
    ASSERT_EQ(findings->size(), 1U);
    EXPECT_THAT(findings->front().evidence.front().guarantee, testing::HasSubstr("this race or a deadlock"));
    EXPECT_THAT(findings->front().message, testing::HasSubstr("another order of the run deadlocks"));
  }
}

TEST(Cp, NonNestedReleaseIsOnlySuspected) {
  const auto found = golden("algorithms/cp-unsound-non-nested-release.tid");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().verdict, Verdict::Suspected);
}

// The read of thread 1 races; that race then orders the write after it.
TEST(Cp, ARaceIsAnEdgeForTheNext) {
  const auto found = golden("algorithms/cp-later-race-is-false.tid");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().verdict, Verdict::Predicted);
  const auto raw =
      detect(**open_trace(RAVEL_SOURCE_DIR "/tests/traces/algorithms/cp-later-race-is-false.tid"),
             make_cp({.continuation = false}));
  ASSERT_EQ(raw.size(), 3U);
  EXPECT_EQ(raw[0].verdict, Verdict::Predicted);
  EXPECT_EQ(raw[1].verdict, Verdict::Suspected);
}

// Each access is an event of its own for the edge: the second writes are not ordered by the first race.
TEST(Cp, TwoRacesWithoutSynchronization) {
  EXPECT_EQ(summary(detect("wr 1 x\nwr 1 y\nwr 2 x\nwr 2 y\n", "cp")), "race x y");
  EXPECT_EQ(summary(detect("wr 1 x\nwr 1 y\nrd 2 y\nrd 2 x\n", "cp")), "race y");
}

TEST(Cp, WithHookOrderOnlyTheFirstIsPredicted) {
  const auto found = detect("# access order: hook\nwr 1 x\nwr 1 y\nwr 2 x\nwr 2 y\n", "cp");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].verdict, Verdict::Predicted);
  EXPECT_EQ(found[1].verdict, Verdict::Suspected);
}

// Between these accesses others may have been, whose races would be edges.
TEST(Cp, WithoutAllAccessesOnlyTheFirstIsPredicted) {
  for (const std::string filter : {"segment", "owner"}) {
    const auto found = detect("# filter: " + filter + "\nwr 1 x\nwr 2 x\nwr 2 y\nwr 1 y\n", "cp");
    ASSERT_EQ(found.size(), 2U) << filter;
    EXPECT_EQ(found[0].verdict, Verdict::Predicted) << filter;
    EXPECT_EQ(found[1].verdict, Verdict::Suspected) << filter;
  }
}

// If thread 1 has written again after its read, as a recorder that drops repetitions would not say, thread 2
// read that: no reordering has a race of the two accesses that are left.
TEST(Cp, ARaceWithWhatMayBeRepeatedIsNotPredicted) {
  const auto found =
      detect("# filter: segment\nwr 1 x\nwait 1 c\nnotify 2 c\nrd 1 x\nrd 2 x\nwr 2 x\n", "cp");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().verdict, Verdict::Suspected);
}

TEST(Cp, UnorderedAtomicAccessesEndThePromise) {
  const auto found = detect("wr 1 x\nst 1 f relaxed\nld 2 f relaxed\nwr 2 x\n", "cp");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().verdict, Verdict::Suspected);
}

TEST(Cp, AWaitKeepsItsNotify) {
  EXPECT_EQ(summary(detect("wait 2 c\nwr 1 x\nnotify 1 c\nwake 2 c\nwr 2 x\n", "cp")), "none");
}

// A window that ends within a section takes it to clash with those before.
TEST(Cp, AShortWindowHidesRaces) {
  const char* trace = "wr 1 y\nacq 1 l\nrel 1 l\nacq 2 l\nrd 2 a\nrd 2 b\nrd 2 c\nrel 2 l\nwr 2 y\n";
  EXPECT_EQ(summary(detect(trace, "cp")), "race y");
  EXPECT_EQ(summary(detect(*trace_of(trace), make_cp({.max_window = 6}))), "none");
}

// Rule (b) orders the sections of l when thread 2 leaves its one. Thread 3 has learned from it before that,
// and uses what it learned after the window.
TEST(Cp, ALateOrderReachesThoseWhoLearnedBefore) {
  const char* trace =
      "wr 1 x\nacq 1 l\nsync 1 s\nrel 1 l\nsync 4 s\nsync 4 r\n"
      "acq 2 l\nacq 2 m\nrel 2 m\nacq 3 m\nrel 3 m\nsync 2 r\nrel 2 l\nwr 3 x\n";
  EXPECT_EQ(summary(detect(*trace_of(trace), make_cp({.min_window = 1}))), "none");
  EXPECT_EQ(summary(detect(trace, "cp")), "none");
}

// The memory is freed and another variable before the window ends.
TEST(Cp, NamesMemoryThatIsGone) {
  const auto found = detect(
      "fork 0 1\nfork 0 2\nacq 1 l\nrel 1 l\nwr 1 0x1000:8\nwr 2 0x1000:8\nfree 2 0x1000 8\nwr 2 0x3000:8\n",
      "cp");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().object, "0x1000");
}

// Thread 3 arrives when the round of threads 1 and 2 is full. Had it come earlier, it would be part of that
// round: no reordering has it there.
TEST(Cp, ALaterRoundStaysLater) {
  EXPECT_EQ(
      summary(detect("rd 1 x\narrive 1 b\narrive 2 b\nleave 1 b\nleave 2 b\narrive 3 b\nwr 3 x\n", "cp")),
      "none");
  EXPECT_EQ(
      summary(detect("arrive 1 b\nrd 1 x\narrive 2 b\nleave 1 b\nleave 2 b\narrive 3 b\nwr 3 x\n", "cp")),
      "race x");
}

}  // namespace
}  // namespace ravel
