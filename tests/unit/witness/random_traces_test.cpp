// Generator, shrinker, checker, oracle and equivalents on random traces.
#include <gtest/gtest.h>

#include "support/properties.h"
#include "support/property_test.h"

namespace ravel {

INSTANTIATE_TEST_SUITE_P(Witness, PropertyTest,
                         testing::ValuesIn(witness_properties().begin(), witness_properties().end()),
                         property_name);

}  // namespace ravel
