// What the model of the owner filter keeps, on traces where random ones seldom show a mistake.
#include "support/filters.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "support/detect.h"

namespace ravel {
namespace {

using testing::ElementsAre;

SmallTrace whole(const std::string& lines) {
  const auto trace = collect(*trace_of("# no implied forks\n" + lines), 100);
  EXPECT_TRUE(trace) << trace.error().text();
  return *trace;
}

std::vector<std::uint64_t> left(const std::string& lines, bool atomic) {
  const Filtered filtered = owner_filter(whole(lines));
  std::vector<std::uint64_t> positions;
  for (const Event& event : filtered.trace.events)
    if (is_access(event.kind) && (is_atomic(event.kind) || event.is_late_atomic()) == atomic)
      positions.push_back(filtered.original[event.position - 1]);
  return positions;
}
/// The plain accesses that the filter leaves, by their lines, in the order in which they are told.
std::vector<std::uint64_t> left(const std::string& lines) { return left(lines, false); }
/// The same for atomic ones.
std::vector<std::uint64_t> atomics_left(const std::string& lines) { return left(lines, true); }

/// What hb finds in the whole trace and then in what is left.
std::pair<std::string, std::string> races(const std::string& lines) {
  const SmallTrace trace = whole(lines);
  MemoryReader all = reader_of(trace), some = reader_of(owner_filter(trace).trace);
  return {summary(detect(all, "hb")), summary(detect(some, "hb"))};
}

const std::pair<std::string, std::string> kBothFindX = {"race x", "race x"};

TEST(OwnerFilter, DropsWhatAnAtomicOrders) {
  EXPECT_THAT(left("wr 1 x\nst 1 f release\nld 2 f acquire\nwr 2 x\n"), ElementsAre());
  EXPECT_THAT(left("wr 1 x\nst 1 f release\nld 2 f relaxed\nwr 2 x\n"), ElementsAre(1, 4));
}

// The first pair of clashing accesses is kept; what it orders is not.
TEST(OwnerFilter, DropsWhatClashingSectionsOrder) {
  EXPECT_THAT(left("wr 1 y\nacq 1 l\nwr 1 x\nrel 1 l\nacq 2 l\nwr 2 x\nwr 2 y\nrel 2 l\n"),
              ElementsAre(3, 6));
  EXPECT_THAT(left("wr 1 y\nacq 1 l\nwr 1 x\nrel 1 l\nacq 2 l\nwr 2 y\nrel 2 l\n"), ElementsAre(1, 6));
}

// Of the sections before the lock's last four it is known when they were, not what came before them.
TEST(OwnerFilter, DropsWhatOlderClashingSectionsOrder) {
  std::string later;
  for (int i = 0; i < 4; ++i) later += "acq 1 l\nrel 1 l\n";
  EXPECT_THAT(left("wr 1 y\nacq 1 l\nwr 1 x\nrel 1 l\n" + later + "acq 2 l\nwr 2 x\nwr 2 y\nrel 2 l\n"),
              ElementsAre(3, 14));
  EXPECT_THAT(left("acq 1 l\nwr 1 x\nrel 1 l\nwr 1 y\n" + later + "acq 2 l\nwr 2 x\nwr 2 y\nrel 2 l\n"),
              ElementsAre(2, 14, 4, 15));
}

// Threads 2, 3 and 4 have a slot. That of thread 1 is gone, but its read is not: the others are joined.
TEST(OwnerFilter, AReadWithoutASlotStillClashes) {
  const std::string trace =
      "fork 0 1\nfork 0 2\nfork 0 3\nfork 0 4\nrd 1 x\nrd 2 x\nrd 3 x\nrd 4 x\n"
      "join 0 2\njoin 0 3\njoin 0 4\nwr 0 x\n";
  EXPECT_THAT(left(trace), ElementsAre(5, 12));
  EXPECT_EQ(races(trace), kBothFindX);
}

// Who reads a relaxed store synchronizes with nobody, whatever was stored before.
TEST(OwnerFilter, ARelaxedStoreReleasesNothing) {
  const std::string trace = "wr 1 x\nst 1 f release\nst 3 f relaxed\nld 2 f acquire\nwr 2 x\n";
  EXPECT_THAT(left(trace), ElementsAre(1, 5));
  EXPECT_EQ(races(trace), kBothFindX);
}

// The same address is another variable, which nobody has stored to.
TEST(OwnerFilter, WhatWasReleasedInFreedMemoryIsGone) {
  const std::string trace =
      "wr 1 x\nst 1 0x1000:8 release\nfree 1 0x1000 8\nalloc 2 0x1000 8\nld 2 0x1000:8 acquire\nwr 2 x\n";
  EXPECT_THAT(left(trace), ElementsAre(1, 6));
  EXPECT_EQ(races(trace), kBothFindX);
}

// Thread 2 has not read since in the first trace; in the other one the second write clashes with that read.
TEST(OwnerFilter, AWriteIsNoRepetitionIfOthersHaveRead) {
  EXPECT_THAT(left("wr 1 x\nwr 1 x\nrd 2 x\n"), ElementsAre(1, 3));
  EXPECT_THAT(left("wr 1 x\nrd 2 x\nwr 1 x\n"), ElementsAre(1, 2, 3));
}

// Nor if that read is in no slot any more: thread 1 has learned of the other three reads, and has read
// itself.
TEST(OwnerFilter, AWriteIsNoRepetitionIfAReadHasNoSlot) {
  EXPECT_THAT(left("wr 1 x\nrd 2 x\nrd 3 x\nrd 4 x\nrd 5 x\nst 3 f release\nst 4 g release\nst 5 h release\n"
                   "ld 1 f acquire\nld 1 g acquire\nld 1 h acquire\nrd 1 x\nwr 1 x\n"),
              ElementsAre(1, 2, 3, 4, 5, 13));
}

// The write of thread 3 races with that of thread 1, which the write of thread 2 has replaced. The first race
// is enough.
TEST(OwnerFilter, AWriteForgetsWhatItRacedWith) {
  const std::string trace = "wr 1 x\nwr 2 x\nst 2 f release\nld 3 f acquire\nwr 3 x\n";
  EXPECT_THAT(left(trace), ElementsAre(1, 2));
  EXPECT_EQ(races(trace), kBothFindX);
}

// A plain write of what was accessed atomically is kept: who reads it reads no atomic store.
TEST(OwnerFilter, AWriteForgetsAtomicAccesses) {
  EXPECT_THAT(left("st 1 x relaxed\nrd 1 x\nwr 1 x\nst 1 f release\nld 2 f acquire\nrd 2 x\nwr 2 x\n"),
              ElementsAre(3));
}

// Of atomic accesses those are kept that synchronize with more than is certain, or that others may
// synchronize with; and those inside of locks.
TEST(OwnerFilter, DropsAtomicAccessesThatOrderNothing) {
  EXPECT_THAT(atomics_left("st 1 x relaxed\nld 1 x acquire\nrmw 1 x relaxed\n"), ElementsAre());
  EXPECT_THAT(atomics_left("st 1 f release\nst 1 f relaxed\n"), ElementsAre(2));
  EXPECT_THAT(atomics_left("fence 1 release\nst 1 f relaxed\nrmw 1 f relaxed\n"), ElementsAre(2, 3));
  EXPECT_THAT(atomics_left("acq 1 l\nst 1 x relaxed\nrel 1 l\nst 1 y relaxed\n"), ElementsAre(2));
}

// Nor are those kept that synchronize outside of locks, unless a thread knows more than its clock says.
TEST(OwnerFilter, DropsAtomicAccessesThatOthersTellOf) {
  EXPECT_THAT(atomics_left("st 1 f release\nld 2 f acquire\nrmw 2 g acq_rel\nld 3 g acquire\n"),
              ElementsAre());
  EXPECT_THAT(
      atomics_left("fence 1 acquire\nst 1 f release\nld 2 f acquire\nld 2 f acquire\nst 2 g release\n"),
      ElementsAre(2, 3, 5));
}

/// What the filter says of the order in their stead.
std::vector<std::string> told(const std::string& lines) {
  const Filtered filtered = owner_filter(whole(lines));
  std::vector<std::string> all;
  for (const Event& event : filtered.trace.events)
    if (kToldOrder.has(event.kind))
      all.push_back(std::string(mnemonic(event.kind)) + " " + std::to_string(event.thread.value) + " " +
                    std::to_string(event.value));
  return all;
}

TEST(OwnerFilter, TellsTheOrderBeforeAnythingElse) {
  const std::string hand_over = "st 1 f release\nst 1 f release\nld 2 f acquire\nst 2 f release\n";
  EXPECT_THAT(told(hand_over), ElementsAre());
  EXPECT_THAT(told(hand_over + "acq 2 l\n"), ElementsAre("elapse 1 1", "elapse 0 2", "after 1 2"));
  EXPECT_THAT(told(hand_over + "acq 1 l\n"), ElementsAre("elapse 0 2"));
}

// One late access says that there may be more that nothing orders.
TEST(OwnerFilter, TellsOfUnorderedAtomicAccessesOnce) {
  EXPECT_THAT(atomics_left("st 1 x relaxed\nst 2 x relaxed\nst 3 x relaxed\n"), ElementsAre(1));
}

TEST(OwnerFilter, KeepsRacesWithDroppedAtomicAccesses) {
  EXPECT_EQ(races("ld 1 x relaxed\nwr 2 x\n"), kBothFindX);
  EXPECT_EQ(races("rmw 1 x relaxed\nrd 2 x\n"), kBothFindX);
  EXPECT_EQ(races("rd 1 x\nst 2 x relaxed\n"), kBothFindX);
  EXPECT_EQ(races("wr 1 x\nst 1 x release\nld 2 x relaxed\n"), kBothFindX);
}

}  // namespace
}  // namespace ravel
