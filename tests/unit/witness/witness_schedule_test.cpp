// Which steps a witness' schedule constrains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/detect.h"
#include "witness/witness.h"

namespace ravel {
namespace {

using testing::HasSubstr;

/// A witness that runs the trace as it is; its last two events are the race. `ordinals`: of each event.
Witness witness(std::string_view tiddle, const std::vector<std::uint32_t>& ordinals) {
  auto trace = collect(*trace_of("# no implied forks\n" + std::string(tiddle)), 100);
  EXPECT_TRUE(trace.has_value());
  EXPECT_EQ(trace->events.size(), ordinals.size());
  Witness made{{}, *trace, {}};
  for (std::size_t i = 0; i < ordinals.size(); ++i) {
    made.trace.events[i].ordinal = ordinals[i];
    made.sequence.push_back(made.trace.events[i].position);
  }
  made.goal.events = {made.sequence.end() - 2, made.sequence.end()};
  return made;
}

std::string schedule(const Witness& witness) {
  const auto text = witness_schedule(witness);
  EXPECT_TRUE(text.has_value()) << text.error();
  return text.value_or("");
}

// Thread 1 looks at the flag at its hooks 1 and 5. Of what it saw in between a filtered trace has nothing.
constexpr std::string_view kFlag = "fork 0 1\nld 1 f\nst 0 f\nld 1 f\nwr 1 x\nwr 0 x\n";
const std::vector<std::uint32_t> kHooks = {1, 1, 1, 5, 6, 1};

TEST(WitnessSchedule, AStoreComesAfterTheLoadThatDidNotSeeIt) {
  const std::string text = schedule(witness(kFlag, kHooks));
  EXPECT_THAT(text, HasSubstr(R"([{"thread": "0.0", "syncs": 0, "ordinal": 1, "kind": "ld"}, )"
                              R"({"thread": "0", "syncs": 1, "ordinal": 1, "kind": "st"}])"));
  EXPECT_THAT(text, HasSubstr(R"([{"thread": "0", "syncs": 1, "ordinal": 1, "kind": "st"}, )"
                              R"({"thread": "0.0", "syncs": 0, "ordinal": 5, "kind": "ld"}])"));
}

TEST(WitnessSchedule, AStoreComesAfterLoadsThatARecorderDropped) {
  Witness filtered = witness(kFlag, kHooks);
  filtered.trace.header.filter = FilterLevel::Segment;
  EXPECT_THAT(schedule(filtered), HasSubstr(R"([{"thread": "0.0", "syncs": 0, "ordinal": 4}, )"
                                            R"({"thread": "0", "syncs": 1, "ordinal": 1, "kind": "st"}])"));
}

TEST(WitnessSchedule, TheRacingAccessesAreSideBySide) {
  const std::string text = schedule(witness(kFlag, kHooks));
  EXPECT_THAT(text, HasSubstr(R"([{"thread": "0.0", "syncs": 0, "ordinal": 6, "kind": "wr"}, )"
                              R"({"thread": "0", "syncs": 2, "ordinal": 1, "kind": "wr"}])"));
  EXPECT_THAT(text, HasSubstr(R"("switch_at": "all")"));
}

// The acquire that ends a wait has no hook of its own.
TEST(WitnessSchedule, AWaitTakesItsLockAgain) {
  const std::string text =
      schedule(witness("fork 0 1\nacq 1 m\nwait 1 c\nrel 1 m\nacq 0 m\nnotify 0 c\nrel 0 m\nacq 1 m\nwake 1 "
                       "c\nwr 1 x\nwr 0 x\n",
                       {1, 1, 1, 1, 1, 1, 2, 0, 0, 1, 1}));
  EXPECT_THAT(text, HasSubstr(R"([{"thread": "0", "syncs": 2, "ordinal": 2, "kind": "rel"}, )"
                              R"({"thread": "0.0", "syncs": 2, "ordinal": 0, "kind": "acq"}])"));
}

TEST(WitnessSchedule, NeedsCounts) {
  const auto none = witness_schedule(witness(kFlag, {0, 0, 0, 0, 0, 0}));
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error(), HasSubstr("does not count"));
}

TEST(WitnessSchedule, CannotHoldBackARelease) {
  const auto none =
      witness_schedule(witness("fork 0 1\nalloc 0 0x1000 8\nwr 1 0x1000:8\nfree 0 0x1000 8\n", {1, 1, 1, 2}));
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error(), HasSubstr("no thread can be held before a free"));
}

}  // namespace
}  // namespace ravel
