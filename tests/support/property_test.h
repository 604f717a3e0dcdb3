// One test for each property of a table (properties.h).
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "support/properties.h"

namespace ravel {

inline void PrintTo(const Property& property, std::ostream* out) { *out << property.claim; }

class PropertyTest : public testing::TestWithParam<Property> {};

TEST_P(PropertyTest, HoldsOnRandomTraces) {
  const std::uint64_t seed = campaign_seed();
  const Trials trials = try_property(GetParam(), seed, RAVEL_RANDOM_TRACES);
  std::cout << trials.traces << " traces from RAVEL_SEED=" << seed << ", " << trials.exercised
            << " exercised it\n";
  if (trials.counterexample) FAIL() << GetParam().claim << "\n" << trials.counterexample->text();
  // A generator that never makes what the property is about would make the test pass for nothing.
  EXPECT_GT(trials.exercised * 10, trials.traces);
}

inline std::string property_name(const testing::TestParamInfo<Property>& info) {
  return std::string(info.param.name);
}

}  // namespace ravel
