// Every golden trace gives what its `# expect` lines say.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/detect.h"
#include "trace/format.h"
#include "trace/tiddle.h"

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
  for (const char* analysis : {"hb", "shb", "lockset"})
    EXPECT_TRUE(expected_of.contains(analysis)) << analysis;
}

INSTANTIATE_TEST_SUITE_P(Traces, GoldenTrace, testing::ValuesIn(golden_traces()), [](const auto& trace) {
  std::string name = std::filesystem::path(trace.param).stem().string();
  std::ranges::replace_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace ravel
