#include "analysis/recorder_times.h"

#include <gtest/gtest.h>

#include <utility>

namespace ravel {
namespace {

constexpr Time kNow = 100;

class Times : public testing::Test {
 protected:
  // The recorder's times 1 to 6 end at 10, 20, 22, 24, 30 and 40.
  void SetUp() override {
    times_.step(thread_, 10);
    times_.elapse(thread_, 20, 3);
    times_.step(thread_, 30);
    times_.elapse(thread_, 40, 1);
  }
  std::pair<Time, Time> around(Time when) const { return times_.around(thread_, when, kNow); }

  const ThreadId thread_{std::size_t{2}};
  RecorderTimes times_;
};

TEST_F(Times, EndWhenTheirStepsHappen) {
  const Time ends[] = {10, 20, 22, 24, 30, 40, kNow, kNow};
  for (Time recorded = 1; recorded <= std::size(ends); ++recorded) {
    EXPECT_EQ(times_.end(thread_, recorded, kNow), ends[recorded - 1]) << recorded;
    const Time last = ends[recorded - 1] == kNow ? kNow : ends[recorded - 1] - 1;
    EXPECT_EQ(times_.last(thread_, recorded, kNow), last) << recorded;
  }
  EXPECT_EQ(times_.last(thread_, 5, 7), 7u) << "not later than now";
}

TEST_F(Times, AreFoundFromTheAnalysisTimes) {
  EXPECT_EQ(around(4), (std::pair<Time, Time>(1, 9)));
  EXPECT_EQ(around(11), (std::pair<Time, Time>(11, 19)));
  EXPECT_EQ(around(21), (std::pair<Time, Time>(21, 21)));
  EXPECT_EQ(around(23), (std::pair<Time, Time>(23, 23)));
  EXPECT_EQ(around(25), (std::pair<Time, Time>(25, 29)));
  EXPECT_EQ(around(29), (std::pair<Time, Time>(25, 29)));
  EXPECT_EQ(around(35), (std::pair<Time, Time>(31, 39)));
  EXPECT_EQ(around(41), (std::pair<Time, Time>(41, kNow)));
}

// What is last in a time is in it, and in no other.
TEST_F(Times, AgreeWithEachOther) {
  for (Time recorded = 1; recorded <= 7; ++recorded)
    EXPECT_EQ(around(times_.last(thread_, recorded, kNow)).second, times_.last(thread_, recorded, kNow))
        << recorded;
}

TEST_F(Times, OfOthersGoOn) {
  const ThreadId other{std::size_t{5}};
  EXPECT_EQ(times_.last(other, 3, kNow), kNow);
  EXPECT_EQ(times_.around(other, 3, kNow), (std::pair<Time, Time>(1, kNow)));
}

}  // namespace
}  // namespace ravel
