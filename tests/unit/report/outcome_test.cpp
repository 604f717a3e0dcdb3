// Outcomes of controlled runs as findings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/outcome_finding.h"

namespace ravel::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class OutcomeFindingTest : public testing::Test {
 protected:
  OutcomeFindingTest() {
    tables_.threads = {"main", "T1", "T2"};
    for (const std::uint64_t line : {10, 11, 20, 21}) {
      Place& place = tables_.places.emplace_back();
      place.file = "a.cpp";
      place.line = line;
    }
    outcome_.kind = "deadlock";
    outcome_.step = 9;
  }
  static RunOutcome::Claim claim(std::uint32_t thread, std::string operation, std::uint64_t object,
                                 std::size_t place, std::uint64_t event) {
    return {.thread = ThreadId(thread),
            .operation = std::move(operation),
            .object = object,
            .place = PlaceId(place),
            .stack = {},
            .event = event};
  }
  std::optional<Finding> finding() {
    return outcome_finding(outcome_, tables_, "./prog", "p.schedule.json", sources_);
  }

  Tables tables_;
  RunOutcome outcome_;
  SourceLines sources_{"/nonexistent"};
};

TEST_F(OutcomeFindingTest, ADeadlockNamesItsCircleAndCountsWhoWaitsBesides) {
  outcome_.waiting = {claim(0, "join", 1, PlaceId().index(), 0), claim(1, "lock", 0x20, 1, 5),
                      claim(2, "lock", 0x10, 3, 6)};
  outcome_.holding = {claim(1, "", 0x10, 0, 3), claim(2, "", 0x20, 2, 4)};
  const auto found = finding();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, FindingKind::Deadlock);
  EXPECT_EQ(found->verdict(), Verdict::Failing);
  EXPECT_EQ(
      found->message,
      "thread T1 waits for 0x20 at a.cpp:11, held by thread T2 since a.cpp:20; thread T2 waits for 0x10 at "
      "a.cpp:21, held by thread T1 since a.cpp:10; 1 more thread waits");
  EXPECT_THAT(found->events, ElementsAre(3, 5, 4, 6));
  EXPECT_THAT(found->steps[1].locks, ElementsAre("0x10"));
  EXPECT_EQ(found->evidence[0].schedule, "p.schedule.json");
  // The same error at other addresses is the same finding.
  const std::string id = found->id;
  for (auto* const claims : {&outcome_.waiting, &outcome_.holding})
    for (RunOutcome::Claim& one : *claims) one.object += 0x1000;
  EXPECT_EQ(finding()->id, id);
}

TEST_F(OutcomeFindingTest, AThreadMayWaitForItself) {
  outcome_.waiting = {claim(1, "lock", 0x10, 1, 5)};
  outcome_.holding = {claim(1, "", 0x10, 0, 3)};
  EXPECT_THAT(finding()->message, HasSubstr("held by itself since a.cpp:10"));
}

TEST_F(OutcomeFindingTest, ALostWakeUpNamesAllWhoWait) {
  outcome_.kind = "lost-wakeup";
  outcome_.waiting = {claim(0, "join", 1, PlaceId().index(), 0), claim(1, "wait", 0x20, 1, 5)};
  EXPECT_EQ(
      finding()->message,
      "thread main waits for the end of thread T1; thread T1 waits for a notification of 0x20 at a.cpp:11");
  EXPECT_EQ(finding()->kind, FindingKind::LostWakeup);
}

TEST_F(OutcomeFindingTest, OtherEndsAreNoFindings) {
  for (const char* const kind : {"", "step-limit"}) {
    outcome_.kind = kind;
    EXPECT_FALSE(finding());
  }
}

}  // namespace
}  // namespace ravel::test
