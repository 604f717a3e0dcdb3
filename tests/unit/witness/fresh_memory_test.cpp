#include "witness/fresh_memory.h"

#include <gtest/gtest.h>

#include "support/detect.h"
#include "witness/reordering.h"

namespace ravel {
namespace {

SmallTrace trace(std::string_view tiddle) {
  auto events = collect(*trace_of("# no implied forks\n" + std::string(tiddle)), 1000);
  EXPECT_TRUE(events.has_value());
  return *events;
}

using Sequence = std::vector<std::uint64_t>;

TEST(FreshMemoryTest, AnAllocationOvertakesTheReleaseOfItsAddress) {
  const SmallTrace again =
      trace("alloc 1 0x1000 8\nwr 1 0x1000:8\nfree 1 0x1000 8\nalloc 2 0x1000 8\nrd 2 0x1000:4\n");
  EXPECT_FALSE(check_reordering(again, Sequence{4, 5, 1, 2, 3}));
  EXPECT_TRUE(check_reordering(with_fresh_memory(again), Sequence{4, 5, 1, 2, 3}));
  EXPECT_TRUE(check_reordering(with_fresh_memory(again), Sequence{1, 4, 2, 5, 3}));
}

TEST(FreshMemoryTest, MemoryIsUsedInItsLifetime) {
  const SmallTrace used = with_fresh_memory(trace("alloc 1 0x1000 8\nwr 2 0x1004:4\nfree 3 0x1000 8\n"));
  EXPECT_TRUE(check_reordering(used, Sequence{1, 2, 3}));
  EXPECT_FALSE(check_reordering(used, Sequence{2}));
  EXPECT_FALSE(check_reordering(used, Sequence{1, 3, 2}));
}

TEST(FreshMemoryTest, BytesKeepTheirDistance) {
  const SmallTrace parts = with_fresh_memory(trace(
      "alloc 1 0x1000 16\nwr 1 0x1008:4\nalloc 1 0x1004 4\nwr 1 0x1004:4\nwr 1 0x1008:4\nwr 1 0x2000:4\n"));
  EXPECT_EQ(parts.events[1].target - parts.events[0].target, 8U);
  EXPECT_EQ(parts.events[3].target, parts.events[2].target);
  EXPECT_EQ(parts.events[4].target, parts.events[1].target) << "the rest of a block that was cut stays";
  EXPECT_EQ(parts.events[5].target, 0x2000U);
}

TEST(FreshMemoryTest, ALockIsReleasedWhereItWasAcquired) {
  const SmallTrace lock =
      with_fresh_memory(trace("acq 1 0x1000:0\nalloc 2 0x1000 64\nrel 1 0x1000:0\nacq 2 0x1000:0\n"));
  EXPECT_EQ(lock.events[2].target, lock.events[0].target);
  EXPECT_NE(lock.events[3].target, lock.events[0].target);
}

}  // namespace
}  // namespace ravel
