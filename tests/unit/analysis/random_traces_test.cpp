// The race detectors against their definitions and the oracle, on random traces and on the golden ones.
#include <gtest/gtest.h>

#include <algorithm>
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

// Random traces rarely have what takes the promises away from locks that are not released in nested order.
TEST(SmallTraces, PromisesHoldForAllOrdersOfTwoLocks) {
  using Operation = std::pair<EventKind, std::uint64_t>;
  const std::uint64_t p = synthetic_address(TargetSpace::Lock, 0),
                      q = synthetic_address(TargetSpace::Lock, 1),
                      x = synthetic_address(TargetSpace::Variable, 0);
  std::vector<std::vector<Operation>> orders;
  std::vector<Operation> order = {{EventKind::Acquire, p},
                                  {EventKind::Acquire, q},
                                  {EventKind::Release, p},
                                  {EventKind::Release, q},
                                  {EventKind::Write, x}};
  std::ranges::sort(order);
  do {
    const auto index = [&](EventKind kind, std::uint64_t lock) {
      return std::ranges::find(order, Operation(kind, lock)) - order.begin();
    };
    if (index(EventKind::Acquire, p) < index(EventKind::Release, p) &&
        index(EventKind::Acquire, q) < index(EventKind::Release, q))
      orders.push_back(order);
  } while (std::ranges::next_permutation(order).found);
  ASSERT_EQ(orders.size(), 30U);

  int predicted = 0;
  for (const auto& zero : orders)
    for (const auto& one : orders) {
      SmallTrace trace;
      trace.tables.threads = {"0", "1"};
      trace.tables.locks = {"p", "q"};
      trace.tables.variables = {"x"};
      for (const auto* thread : {&zero, &one})
        for (const auto& [kind, target] : *thread) {
          Event event;
          event.kind = kind;
          event.thread = ThreadId(thread == &zero ? 0U : 1U);
          event.target = target;
          event.width = kind == EventKind::Write ? kSyntheticWidth : 0;
          event.position = trace.events.size() + 1;
          trace.events.push_back(event);
        }
      for (const Property& property : predictive_properties())
        if (property.name == "CpPromisesHold" || property.name == "WcpPromisesHold") {
          const Outcome outcome = property.check(trace);
          EXPECT_EQ(outcome.failure, std::nullopt) << property.name << "\n" << to_tiddle(trace);
          predicted += outcome.exercised ? 1 : 0;
        }
    }
  EXPECT_GT(predicted, 0);
}

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
