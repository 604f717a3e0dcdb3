// Small versions of the traces that could cost too much: that cp, wcp and mb find the same in them.
#include "support/extreme_traces.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/detect.h"

namespace ravel {
namespace {

class Extreme : public testing::TestWithParam<ExtremeTrace> {};

TEST_P(Extreme, HasTheRaceOfALargeOne) {
  const ExtremeTrace& trace = GetParam();
  const std::uint64_t size = trace.full_size / 100;
  for (const char* analysis : {"cp", "wcp", "mb"})
    EXPECT_EQ(summary(detect(*trace.make(size), analysis)), trace.predicted) << analysis;
}

INSTANTIATE_TEST_SUITE_P(All, Extreme, testing::ValuesIn(extreme_traces()), [](const auto& trace) {
  std::string name(trace.param.name);
  std::ranges::replace(name, ' ', '_');
  return name;
});

}  // namespace
}  // namespace ravel
