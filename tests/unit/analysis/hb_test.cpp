// The edges of happens-before, kind by kind, and which accesses clash.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string_view>

#include "analysis/resolver.h"
#include "analysis/sync_clocks.h"
#include "support/detect.h"

namespace ravel {
namespace {

struct Case {
  const char* name;
  const char* expected;
  const char* trace;
};

class HbEdges : public testing::TestWithParam<Case> {};

TEST_P(HbEdges, OrdersOrRaces) { EXPECT_EQ(summary(detect(GetParam().trace, "hb")), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    Hb, HbEdges,
    testing::Values(
        Case{"ForkOrders", "none", "wr 0 x\nfork 0 1\nwr 1 x\n"},
        Case{"AfterForkRaces", "race x", "fork 0 1\nwr 0 x\nwr 1 x\n"},
        Case{"JoinOrders", "none", "fork 0 1\nwr 1 x\njoin 0 1\nwr 0 x\n"},
        Case{"TwoReadsDoNotClash", "none", "rd 1 x\nrd 2 x\n"},
        Case{"ReadersRaceWithALaterWriter", "race x",
             "rd 1 x\nrd 2 x\nacq 1 l\nrel 1 l\nacq 3 l\nwr 3 x\nrel 3 l\n"},
        Case{"ReaderLockOrdersAfterWriter", "none", "acq 1 l\nwr 1 x\nrel 1 l\nracq 2 l\nrd 2 x\nrrel 2 l\n"},
        Case{"WriterAfterReadersOrdered", "none",
             "racq 1 l\nrd 1 x\nracq 2 l\nrd 2 x\nrrel 1 l\nrrel 2 l\nacq 3 l\nwr 3 x\nrel 3 l\n"},
        Case{"ReadersAreNotOrdered", "race x", "racq 1 l\nwr 1 x\nrrel 1 l\nracq 2 l\nwr 2 x\nrrel 2 l\n"},
        Case{"BarrierOrders", "none", "wr 1 x\narrive 1 b\narrive 2 b\nleave 2 b\nwr 2 x\nleave 1 b\n"},
        Case{"NextRoundIsNotThisOne", "race x",
             "arrive 1 b\narrive 2 b\nleave 1 b\nwr 1 x\narrive 1 b\nleave 2 b\nwr 2 x\narrive 2 b\nleave 1 "
             "b\nleave 2 b\n"},
        Case{"NotifyIsNoEdge", "race x", "wait 2 c\nwr 1 x\nnotify 1 c\nwake 2 c\nwr 2 x\n"},
        Case{"ReleaseAcquireOrders", "none", "wr 1 x\nst 1 f release\nld 2 f acquire\nwr 2 x\n"},
        Case{"RelaxedLoadDoesNotOrder", "race x", "wr 1 x\nst 1 f release\nld 2 f relaxed\nwr 2 x\n"},
        Case{"RelaxedStoreDoesNotOrder", "race x", "wr 1 x\nst 1 f relaxed\nld 2 f acquire\nwr 2 x\n"},
        Case{"AfterReleaseStoreIsNotCovered", "race x", "st 1 f release\nwr 1 x\nld 2 f acquire\nwr 2 x\n"},
        Case{"RmwContinuesReleaseSequence", "none",
             "wr 1 x\nst 1 f release\nrmw 3 f relaxed\nld 2 f acquire\nwr 2 x\n"},
        Case{"StoreEndsReleaseSequence", "race x",
             "wr 1 x\nst 1 f release\nst 3 f relaxed\nld 2 f acquire\nwr 2 x\n"},
        Case{"RmwJoinsReleases", "none",
             "wr 1 x\nwr 2 y\nrmw 1 f release\nrmw 2 f release\nld 3 f acquire\nwr 3 x\nwr 3 y\n"},
        Case{"ReleaseFenceOrders", "none",
             "wr 1 x\nfence 1 release\nst 1 f relaxed\nld 2 f acquire\nwr 2 x\n"},
        Case{"AcquireFenceOrders", "none",
             "wr 1 x\nst 1 f release\nld 2 f relaxed\nfence 2 acquire\nwr 2 x\n"},
        Case{"AfterReleaseFenceIsNotCovered", "race x",
             "fence 1 release\nwr 1 x\nst 1 f relaxed\nld 2 f acquire\nwr 2 x\n"},
        Case{"FenceBeforeTheLoadIsTooEarly", "race x",
             "wr 1 x\nst 1 f release\nfence 2 acquire\nld 2 f relaxed\nwr 2 x\n"},
        Case{"TwoAtomicsDoNotRace", "none", "st 1 x relaxed\nst 2 x relaxed\nrmw 3 x relaxed\n"},
        Case{"AtomicAndPlainRace", "race x", "st 1 x\nwr 2 x\n"},
        Case{"PlainReadAndAtomicStoreRace", "race x", "rd 1 x\nst 2 x\n"},
        Case{"PlainReadAndAtomicLoadDoNot", "none", "rd 1 x\nld 2 x\n"},
        Case{"OverlappingWidthsClash", "race 0x1000", "wr 1 0x1000:4\nrd 2 0x1000:8\n"},
        Case{"NeighboursDoNotClash", "none", "wr 1 0x1000:4\nwr 2 0x1004:4\n"},
        Case{"OneByteOfAWord", "race 0x1003", "wr 1 0x1000:8\nwr 2 0x1003:1\n"},
        Case{"AcrossWords", "race 0x1008", "wr 1 0x1006:4\nwr 2 0x1008:1\n"},
        Case{"WideAccess", "race 0x1040", "wr 1 0x1000:128\nrd 2 0x1040:4\n"},
        Case{"ReusedMemoryIsNew", "none",
             "fork 0 1\nfork 0 2\nalloc 1 0x1000 16\nwr 1 0x1000:8\nfree 1 0x1000 16\nalloc 2 0x1000 16\nwr "
             "2 0x1000:8\n"},
        Case{"FreeClashesWithAccess", "race 0x1000", "wr 1 0x1000:8\nfree 2 0x1000 16\n"},
        Case{"ReusedLockIsAnotherLock", "race x",
             "acq 1 0x2000:40\nwr 1 x\nrel 1 0x2000:40\nfree 1 0x2000 40\nacq 2 0x2000:40\nwr 2 x\nrel 2 "
             "0x2000:40\n"},
        Case{"FreeingPartOfAWord", "race 0x1000", "wr 1 0x1000:8\nfree 1 0x1004 4\nwr 2 0x1000:8\n"}),
    [](const auto& each) { return each.param.name; });

// A race does not blind the check for what comes after it: thread 3's write is ordered after thread 2's but
// not after 1's.
TEST(Hb, SecondEventsAfterARace) {
  const auto found = detect("wr 1 x\nwr 2 x\nacq 2 l\nrel 2 l\nacq 3 l\nwr 3 x\nrel 3 l\n", "hb");
  ASSERT_EQ(found.size(), 2U);
  // Three forks come first.
  EXPECT_EQ(found[0].events, (std::vector<std::uint64_t>{4, 5}));
  EXPECT_EQ(found[1].events, (std::vector<std::uint64_t>{4, 9}));
}

// Sadowski 2012, Fig. 8.2: the clocks along the left trace of Fig. 7.2, but time passes at acquires, too.
TEST(SyncClocks, Figure82) {
  SyncClocks clocks;
  const ThreadId one(0U), two(1U);
  const auto step = [&clocks](EventKind kind, ThreadId thread) {
    Event event;
    event.kind = kind;
    event.thread = thread;
    event.resolve(0, LocksetTable::kEmpty);
    clocks.consume(event);
  };
  const auto clock = [&](ThreadId thread) {
    return std::pair(clocks.clock(thread)[one], clocks.clock(thread)[two]);
  };
  using Times = std::pair<Time, Time>;
  EXPECT_EQ(clock(one), Times(1, 0));
  EXPECT_EQ(clock(two), Times(0, 1));
  step(EventKind::Acquire, one);
  EXPECT_EQ(clock(one), Times(2, 0));
  step(EventKind::Release, one);
  EXPECT_EQ(clock(one), Times(3, 0));
  step(EventKind::Acquire, two);
  EXPECT_EQ(clock(two), Times(2, 2));
  step(EventKind::Release, two);
  EXPECT_EQ(clock(two), Times(2, 3));
}

TEST(Hb, AWriteRacesWithEachLateReadThatItIsNotOrderedAfter) {
  const auto races = [](std::string_view rest) {
    return detect(fmt::format("rrd 2 x 1\nrrd 1 x 1\nrrd 2 x 1\n{}", rest), "hb").size();
  };
  EXPECT_EQ(races("rd 3 x\n"), 0U);
  EXPECT_EQ(races("wr 3 x\n"), 2U);
  EXPECT_EQ(races("st 3 x\n"), 2U);
  EXPECT_EQ(races("wr 1 x\n"), 1U);
  EXPECT_EQ(races("wr 2 x\n"), 1U);
  EXPECT_EQ(races("acq 1 l\nrel 1 l\nacq 3 l\nwr 3 x\n"), 1U);
  EXPECT_EQ(races("acq 2 l\nrel 2 l\nacq 3 l\nwr 3 x\n"), 1U);
  EXPECT_EQ(races("join 3 1\njoin 3 2\nwr 3 x\n"), 0U);
  EXPECT_EQ(races("fork 1 4\nrrd 1 x 2\nwr 4 x\n"), 2U);
  EXPECT_EQ(races("rrd 3 x 1\nwr 4 x\n"), 3U);
  EXPECT_EQ(races("rwr 3 x 1\nrd 4 x\n"), 1U);
}

TEST(Shb, ReadOfARacyWriteOrdersWhatFollows) {
  // hb reports x and y; in the recorded run the read of y saw the write, so x cannot be reached unordered.
  const char* trace = "wr 1 x\nwr 1 y\nrd 2 y\nrd 2 x\n";
  EXPECT_EQ(summary(detect(trace, "hb")), "race x y");
  EXPECT_EQ(summary(detect(trace, "shb")), "race y");
}

TEST(Lockset, ReaderLockDoesNotProtectAWrite) {
  EXPECT_EQ(summary(detect("racq 1 l\nrd 1 x\nrrel 1 l\nracq 2 l\nwr 2 x\nrrel 2 l\n", "lockset")), "race x");
  EXPECT_EQ(summary(detect("racq 1 l\nrd 1 x\nrrel 1 l\nacq 2 l\nwr 2 x\nrel 2 l\n", "lockset")), "none");
}

TEST(Analyses, UnknownNameListsTheKnownOnes) {
  const auto found = find_analyses("hb,nonsense");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("nonsense"), std::string::npos);
  EXPECT_NE(found.error().message.find("lockset"), std::string::npos);
}

}  // namespace
}  // namespace ravel
