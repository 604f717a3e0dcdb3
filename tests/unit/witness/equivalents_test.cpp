#include "witness/equivalents.h"

#include <gtest/gtest.h>

#include <set>

#include "support/detect.h"
#include "witness/generator.h"

namespace ravel {
namespace {

SmallTrace trace(std::string_view operations) {
  return *collect(*trace_of("# no implied forks\n" + std::string(operations)), 100);
}

std::vector<std::vector<std::uint64_t>> equivalents(const SmallTrace& original) {
  std::vector<std::vector<std::uint64_t>> all;
  for_each_equivalent(original, 1000, [&](std::span<const std::uint64_t> sequence) {
    all.emplace_back(sequence.begin(), sequence.end());
    return true;
  });
  return all;
}

TEST(EquivalentsTest, IndependentThreadsInterleaveInEveryWay) {
  // Two threads of two events: 4! / (2! 2!) orders; the trace itself is the first.
  const auto all = equivalents(trace("wr 1 x\nwr 1 x\nwr 2 y\nwr 2 y\n"));
  EXPECT_EQ(all.size(), 6U);
  EXPECT_EQ(all.front(), (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

TEST(EquivalentsTest, ConflictsKeepTheirOrder) {
  EXPECT_EQ(equivalents(trace("acq 1 l\nrel 1 l\nacq 2 l\nrel 2 l\n")).size(), 1U);
  EXPECT_EQ(equivalents(trace("wr 1 x\nrd 2 x\n")).size(), 1U);
  EXPECT_EQ(equivalents(trace("st 1 x\nld 2 x\n")).size(), 1U);
  EXPECT_EQ(equivalents(trace("fork 1 2\nwr 2 x\njoin 1 2\n")).size(), 1U);
  EXPECT_EQ(equivalents(trace("fork 1 2\njoin 3 2\n")).size(), 1U);
  EXPECT_EQ(equivalents(trace("rd 1 0x1000:8\nfree 2 0x1000 8\n")).size(), 1U);
}

TEST(EquivalentsTest, ReadsAndReaderSectionsCommute) {
  EXPECT_EQ(equivalents(trace("rd 1 x\nrd 2 x\n")).size(), 2U);
  EXPECT_EQ(equivalents(trace("racq 1 l\nracq 2 l\n")).size(), 2U);
  EXPECT_EQ(equivalents(trace("wr 1 0x1000:4\nwr 2 0x1004:4\n")).size(), 2U);
}

TEST(EquivalentsTest, StopsAtTheLimitAndWhenTold) {
  const SmallTrace two = trace("rd 1 x\nrd 2 x\n");
  const auto accept = [](std::span<const std::uint64_t>) { return true; };
  EXPECT_EQ(for_each_equivalent(two, 1, accept).traces, 1U);
  EXPECT_FALSE(for_each_equivalent(two, 1, accept).complete);
  EXPECT_TRUE(for_each_equivalent(two, 2, accept).complete) << "the limit is not below what there is";
  const EquivalentsCount stopped =
      for_each_equivalent(two, 9, [](std::span<const std::uint64_t>) { return false; });
  EXPECT_EQ(stopped.traces, 1U);
  EXPECT_FALSE(stopped.complete);
}

TEST(GeneratorTest, IsAFunctionOfSeedAndShape) {
  EXPECT_EQ(random_trace(5, {}), random_trace(5, {}));
  std::set<std::string> distinct;
  for (std::uint64_t seed = 0; seed < 100; ++seed) distinct.insert(to_tiddle(random_trace(seed, {})));
  EXPECT_GT(distinct.size(), 95U);
}

TEST(GeneratorTest, MakesEveryKindTheShapeAllows) {
  TraceShape shape;
  shape.events = 60;
  shape.reader_locks = shape.forks = shape.units = shape.atomics = shape.barriers = shape.waits =
      shape.blocks = shape.requests = shape.widths = true;
  std::set<EventKind> kinds;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (const Event& event : random_trace(seed, shape).events) kinds.insert(event.kind);
  constexpr KindMask kNeverMade =
      KindMask::of(EventKind::Call, EventKind::Return, EventKind::ObjectBegin, EventKind::ObjectEnd,
                   EventKind::ThreadStart, EventKind::ThreadExit, EventKind::Block) |
      kRetroAccesses | kToldOrder | kVariableLifetime;
  for (int kind = 0; kind < kEventKindCount; ++kind)
    EXPECT_NE(kinds.contains(EventKind(kind)), kNeverMade.has(EventKind(kind))) << kind_name(EventKind(kind));
}

TEST(GeneratorTest, TiddleReadsBackAsTheSameTrace) {
  TraceShape shape;
  shape.events = 60;
  shape.reader_locks = shape.forks = shape.units = shape.atomics = shape.barriers = shape.waits =
      shape.blocks = true;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SmallTrace made = random_trace(seed, shape);
    const std::string text = to_tiddle(made);
    EXPECT_EQ(to_tiddle(*collect(*trace_of(text), 100)), text);
  }
}

TEST(MemoryReaderTest, GivesBatchesAndRewinds) {
  const SmallTrace made = random_trace(1, {});
  MemoryReader reader = reader_of(made, 5);
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<Event> batch, all;
    std::size_t batches = 0;
    do {
      ASSERT_TRUE(reader.next(batch).has_value());
      all.insert(all.end(), batch.begin(), batch.end());
      ++batches;
    } while (!batch.empty());
    EXPECT_EQ(all, made.events);
    EXPECT_EQ(batches, (made.events.size() + 4) / 5 + 1);
    ASSERT_TRUE(reader.rewind().has_value());
  }
  EXPECT_FALSE(collect(reader, made.events.size() - 1).has_value());
}

}  // namespace
}  // namespace ravel
