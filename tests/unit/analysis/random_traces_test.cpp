// The race detectors against their definitions and the oracle, on random traces.
#include <gtest/gtest.h>

#include "support/properties.h"
#include "support/property_test.h"

namespace ravel {

INSTANTIATE_TEST_SUITE_P(Races, PropertyTest,
                         testing::ValuesIn(race_properties().begin(), race_properties().end()),
                         property_name);

}  // namespace ravel
