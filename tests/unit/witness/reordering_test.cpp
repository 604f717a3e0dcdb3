// Each rule of a correct reordering, on a trace by hand; what the random traces check in bulk.
#include "witness/reordering.h"

#include <gtest/gtest.h>

#include "support/detect.h"
#include "witness/oracle.h"

namespace ravel {
namespace {

using Sequence = std::vector<std::uint64_t>;

SmallTrace trace(std::string_view operations) {
  auto collected = collect(*trace_of("# no implied forks\n" + std::string(operations)), 100);
  EXPECT_TRUE(collected.has_value());
  return std::move(*collected);
}

/// The broken rule and its step, as text; "" if the sequence is correct.
std::string fault(std::string_view operations, const Sequence& sequence) {
  const auto checked = check_reordering(trace(operations), sequence);
  return checked ? "" : checked.error().text();
}

TEST(ReorderingTest, RunsAPrefixOfEachThread) {
  constexpr std::string_view kTrace = "wr 1 x\nwr 1 y\nwr 2 z\n";
  EXPECT_EQ(fault(kTrace, {}), "");
  EXPECT_EQ(fault(kTrace, {3, 1}), "");
  EXPECT_EQ(fault(kTrace, {3, 2}), "step 1: event 2 is not the next event of its thread");
  EXPECT_EQ(fault(kTrace, {1, 1}), "step 1: event 1 is not the next event of its thread");
  EXPECT_EQ(fault(kTrace, {4}), "step 0: event 4 is not in the trace");
}

TEST(ReorderingTest, ObeysExclusiveLocks) {
  constexpr std::string_view kTrace = "acq 1 l\nrel 1 l\nacq 2 l\nrel 2 l\n";
  EXPECT_EQ(fault(kTrace, {3, 4, 1, 2}), "");
  EXPECT_EQ(fault(kTrace, {3, 1}), "step 1: event 1 acquires a lock that is held");
}

TEST(ReorderingTest, AnOpenSectionBlocksTheOthers) {
  EXPECT_EQ(fault("acq 1 l\nrel 1 l\nacq 2 l\n", {3, 1}), "step 1: event 1 acquires a lock that is held");
}

TEST(ReorderingTest, ReadersShareALockButNotWithAWriter) {
  constexpr std::string_view kTrace = "racq 1 l\nrrel 1 l\nracq 2 l\nrrel 2 l\nacq 3 l\nrel 3 l\n";
  EXPECT_EQ(fault(kTrace, {3, 1, 4, 2}), "");
  EXPECT_EQ(fault(kTrace, {3, 1, 4, 5}), "step 3: event 5 acquires a lock that is held");
  EXPECT_EQ(fault(kTrace, {5, 1}), "step 1: event 1 acquires a lock that is held");
}

TEST(ReorderingTest, ReadsSeeTheSameWriteByteByByte) {
  EXPECT_EQ(fault("wr 1 x\nrd 2 x\n", {2}), "step 0: event 2 reads another write than in the trace");
  EXPECT_EQ(fault("rd 2 x\nwr 1 x\n", {2, 1}), "step 1: event 1 reads another write than in the trace");
  constexpr std::string_view kParts = "wr 1 0x1000:8\nwr 2 0x1004:4\nrd 3 0x1000:4\n";
  EXPECT_EQ(fault(kParts, {1, 3}), "");
  EXPECT_EQ(fault(kParts, {2, 3}), "step 1: event 3 reads another write than in the trace");
}

TEST(ReorderingTest, AtomicLoadsAndUpdatesSeeTheSameWriteToo) {
  EXPECT_EQ(fault("st 1 x\nld 2 x\n", {2}), "step 0: event 2 reads another write than in the trace");
  EXPECT_EQ(fault("rmw 1 x\nrmw 2 x\n", {2}), "step 0: event 2 reads another write than in the trace");
}

TEST(ReorderingTest, ForksComeBeforeAndJoinsAfterTheirThread) {
  constexpr std::string_view kTrace = "fork 1 2\nwr 2 x\njoin 1 2\n";
  EXPECT_EQ(fault(kTrace, {1, 2, 3}), "");
  EXPECT_EQ(fault(kTrace, {2}), "step 0: event 2 runs before its thread was forked");
  EXPECT_EQ(fault(kTrace, {1, 3}), "step 1: event 3 joins a thread that has not finished");
  EXPECT_EQ(fault("fork 1 2\njoin 3 2\n", {2}), "step 0: event 2 joins a thread that has not finished");
}

TEST(ReorderingTest, BarriersAreLeftWhenAllHaveArrived) {
  constexpr std::string_view kTrace = "arrive 1 b\narrive 2 b\nleave 1 b\narrive 1 b\nleave 2 b\n";
  EXPECT_EQ(fault(kTrace, {2, 1, 5, 3, 4}), "");
  EXPECT_EQ(fault(kTrace, {1, 3}),
            "step 1: event 3 passes a barrier before the threads it met there arrived");
}

TEST(ReorderingTest, AWaitEndsAfterTheSameNotify) {
  constexpr std::string_view kTrace = "wait 1 c\nnotify 2 c\nwake 1 c\n";
  EXPECT_EQ(fault(kTrace, {1, 2, 3}), "");
  EXPECT_EQ(fault(kTrace, {1, 3}), "step 1: event 3 ends a wait, or notifies, out of step");
  EXPECT_EQ(fault(kTrace, {2}), "step 0: event 2 ends a wait, or notifies, out of step");
  EXPECT_EQ(fault("notify 2 c\nwait 1 c\nwake 1 c\n", {2, 3, 1}), "") << "a wake-up without a notify is free";
}

TEST(ReorderingTest, MemoryIsUsedInItsLifetime) {
  constexpr std::string_view kTrace = "alloc 1 0x1000 8\nwr 2 0x1000:8\nfree 3 0x1000 8\nalloc 4 0x1000 8\n";
  EXPECT_EQ(fault(kTrace, {1, 3, 4}), "");
  EXPECT_EQ(fault(kTrace, {2}), "step 0: event 2 overtakes the allocation or release of its memory");
  EXPECT_EQ(fault(kTrace, {1, 3, 2}), "step 2: event 2 overtakes the allocation or release of its memory");
  EXPECT_EQ(fault(kTrace, {1, 4}), "step 1: event 4 overtakes the allocation or release of its memory");
}

TEST(ReorderingTest, ARaceIsTwoClashingAccessesSideBySide) {
  const SmallTrace writes = trace("wr 1 x\nacq 1 l\nrel 1 l\nacq 2 l\nrel 2 l\nwr 2 x\n");
  EXPECT_TRUE(check_race(writes, Sequence{4, 5, 1, 6}));
  EXPECT_FALSE(check_race(writes, Sequence{4, 1, 6})) << "6 is not next";
  EXPECT_EQ(check_race(writes, Sequence{1, 4}).error().rule, ReorderingRule::NoRace);
  EXPECT_TRUE(check_race(trace("wr 1 x\nrd 2 x\n"), Sequence{2, 1})) << "the pair itself may read anything";
  EXPECT_FALSE(check_race(trace("st 1 x\nld 2 x\n"), Sequence{1, 2})) << "both atomic";
  EXPECT_TRUE(check_race(trace("st 1 x\nrd 2 x\n"), Sequence{1, 2}));
  EXPECT_FALSE(check_race(trace("fork 1 2\nwr 2 x\nwr 1 x\n"), Sequence{2, 3})) << "2 is not forked yet";
}

TEST(ReorderingTest, ADeadlockIsACycleOfWaitingThreads) {
  const SmallTrace crossed =
      trace("acq 1 l\nacq 1 m\nrel 1 m\nrel 1 l\nacq 2 m\nacq 2 l\nrel 2 l\nrel 2 m\n");
  const auto cycle = check_deadlock(crossed, Sequence{1, 5});
  ASSERT_TRUE(cycle.has_value());
  EXPECT_EQ(cycle->size(), 2U);
  EXPECT_EQ(check_deadlock(crossed, Sequence{1}).error().rule, ReorderingRule::NoDeadlock);
  const auto found = Oracle::explore(crossed)->predictable_deadlock();
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(check_deadlock(crossed, *found));
}

TEST(ReorderingTest, AJoinInACycleCountsWhenAsked) {
  const SmallTrace joined = trace("fork 1 2\nacq 2 l\nrel 2 l\nacq 1 l\njoin 1 2\n");
  EXPECT_FALSE(check_deadlock(joined, Sequence{1, 4}));
  EXPECT_TRUE(check_deadlock(joined, Sequence{1, 4}, DeadlockWaits::LocksAndJoins));
}

TEST(OracleTest, FindsTheRaceThatTheLockOrderHides) {
  // Sadowski 2012, Figure 1.9.
  const SmallTrace hidden = trace("wr 1 x\nacq 1 l\nrel 1 l\nacq 2 l\nrel 2 l\nwr 2 x\n");
  const auto oracle = Oracle::explore(hidden);
  ASSERT_TRUE(oracle.has_value());
  EXPECT_EQ(oracle->predictable_races(), (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 6}}));
}

TEST(OracleTest, NeitherRaceNorDeadlockWithNonNestedReleases) {
  const SmallTrace crossed =
      trace("acq 1 p\nacq 1 q\nrel 1 p\nwr 1 x\nrel 1 q\nacq 2 p\nacq 2 q\nrel 2 q\nwr 2 x\nrel 2 p\n");
  const auto oracle = Oracle::explore(crossed);
  ASSERT_TRUE(oracle.has_value());
  EXPECT_TRUE(oracle->predictable_races().empty());
  EXPECT_FALSE(oracle->predictable_deadlock(DeadlockWaits::LocksAndJoins));
}

TEST(OracleTest, SaysWhenThereIsTooMuch) {
  SmallTrace many;
  for (std::uint64_t i = 0; i <= Oracle::kMaxEvents; ++i) {
    Event event;
    event.thread = ThreadId(std::uint32_t{0});
    event.position = i + 1;
    many.events.push_back(event);
  }
  EXPECT_FALSE(Oracle::explore(many).has_value());
  many.events.resize(10);
  EXPECT_TRUE(Oracle::explore(many).has_value());
  EXPECT_FALSE(Oracle::explore(many, 5).has_value());
}

}  // namespace
}  // namespace ravel
