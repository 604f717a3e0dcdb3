// Every golden trace gives what its `# expect` lines say.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/detect.h"
#include "trace/format.h"
#include "trace/tiddle.h"
#include "witness/equivalents.h"
#include "witness/small_trace.h"

namespace ravel {
namespace {

std::vector<std::string> golden_traces() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(RAVEL_SOURCE_DIR "/tests/traces"))
    if (entry.path().extension() == ".tid") paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

class GoldenTrace : public testing::TestWithParam<std::string> {};

TEST_P(GoldenTrace, GivesWhatItExpects) {
  const auto expectations = read_expectations(GetParam());
  ASSERT_TRUE(expectations) << expectations.error().text();
  std::set<std::string> expected_of;
  for (const auto& expectation : *expectations) {
    const auto trace = open_trace(GetParam());
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ(summary(detect(**trace, expectation.analysis)), expectation.text)
        << GetParam() << ":" << expectation.line << ": " << expectation.analysis;
    expected_of.insert(expectation.analysis);
  }
  for (const char* analysis : {"hb", "shb", "lockset", "cp", "wcp", "mb", "syncp", "deadlock"})
    EXPECT_TRUE(expected_of.contains(analysis)) << analysis;
}

// Sadowski 2012, 24.6: traces that differ only in the order of independent operations have the same races.
TEST_P(GoldenTrace, EquivalentTracesHaveTheSameRaces) {
  const auto reader = open_trace(GetParam());
  ASSERT_TRUE(reader) << reader.error().text();
  const auto trace = collect(**reader, 1000);
  ASSERT_TRUE(trace) << trace.error().text();
  const std::string expected = summary(detect(**open_trace(GetParam()), "hb"));
  constexpr std::uint64_t kLimit = 200;
  const auto count = for_each_equivalent(*trace, kLimit, [&](std::span<const std::uint64_t> positions) {
    SmallTrace other = *trace;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      other.events[i] = trace->events[*trace->index_of(positions[i])];
      other.events[i].position = i + 1;
    }
    MemoryReader equivalent = reader_of(other);
    EXPECT_EQ(summary(detect(equivalent, "hb")), expected) << to_tiddle(other);
    return !HasFailure();
  });
  EXPECT_GE(count.traces, 1U);
}

INSTANTIATE_TEST_SUITE_P(Traces, GoldenTrace, testing::ValuesIn(golden_traces()), [](const auto& trace) {
  std::string name = std::filesystem::path(trace.param).stem().string();
  std::ranges::replace_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace ravel
