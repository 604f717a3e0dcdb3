// The race detectors against their definitions and the oracle, on random traces and on the golden ones.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/properties.h"
#include "support/property_test.h"
#include "trace/format.h"

namespace ravel {

INSTANTIATE_TEST_SUITE_P(Races, PropertyTest,
                         testing::ValuesIn(race_properties().begin(), race_properties().end()),
                         property_name);
INSTANTIATE_TEST_SUITE_P(Predictions, PropertyTest,
                         testing::ValuesIn(predictive_properties().begin(), predictive_properties().end()),
                         property_name);

INSTANTIATE_TEST_SUITE_P(Sync, PropertyTest,
                         testing::ValuesIn(sync_properties().begin(), sync_properties().end()),
                         property_name);

TEST(GoldenTraces, HaveThePropertiesOfRaces) {
  int checked = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(RAVEL_SOURCE_DIR "/tests/traces")) {
    if (entry.path().extension() != ".tid") continue;
    const auto reader = open_trace(entry.path().string());
    ASSERT_TRUE(reader) << reader.error().text();
    const auto trace = collect(**reader, 64);
    ASSERT_TRUE(trace) << trace.error().text();
    for (const auto properties : {race_properties(), predictive_properties(), sync_properties()})
      for (const Property& property : properties)
        EXPECT_EQ(property.check(*trace).failure, std::nullopt) << entry.path() << ": " << property.claim;
    ++checked;
  }
  EXPECT_GT(checked, 50);
}

}  // namespace ravel
