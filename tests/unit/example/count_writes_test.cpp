// The example analysis of docs/adding-an-analysis.md is compiled, run, and the same in the document and in
// the file.
#include "../../../examples/count_writes.cpp"  // registers itself, as a file in src/analysis does

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "analysis/chain.h"
#include "trace/memory_reader.h"

namespace ravel {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(std::string(RAVEL_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(CountWritesExample, IsTheCodeOfTheDocument) {
  const std::string code = contents("examples/count_writes.cpp");
  ASSERT_FALSE(code.empty());
  EXPECT_NE(contents("docs/adding-an-analysis.md").find("```cpp\n" + code + "```\n"), std::string::npos);
  EXPECT_LT(std::ranges::count(code, '\n'), 60) << "the document promises less than 60 lines";
}

TEST(CountWritesExample, TellsOfTheSecondThread) {
  Tables tables;
  tables.threads = {"one", "two"};
  tables.variables = {"x", "y"};
  std::vector<Event> events;
  const auto write = [&events](std::uint32_t thread, std::uint32_t variable) {
    Event event;
    event.kind = EventKind::Write;
    event.thread = ThreadId(thread);
    event.target = synthetic_address(TargetSpace::Variable, variable);
    event.width = kSyntheticWidth;
    event.position = events.size() + 1;
    events.push_back(event);
  };
  write(0, 0);
  write(0, 0);
  write(0, 1);
  write(1, 0);
  MemoryReader trace({}, tables, events);
  const auto infos = find_analyses("writes");
  ASSERT_TRUE(infos);
  const auto findings = analyze(trace, *infos);
  ASSERT_TRUE(findings);
  ASSERT_EQ(findings->size(), 1U) << "y has one writer";
  EXPECT_EQ(findings->front().object, "x");
  EXPECT_EQ(findings->front().message, "write number 3 is by another thread");
  ASSERT_EQ(findings->front().evidence.size(), 2U);
  EXPECT_EQ(findings->front().evidence[0].analysis, "witness") << "the chain looks for one";
  EXPECT_EQ(findings->front().evidence[1].analysis, "writes");
  EXPECT_EQ(findings->front().evidence[1].verdict, Verdict::Suspected);
}

}  // namespace
}  // namespace ravel
