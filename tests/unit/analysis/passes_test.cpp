// Analyses that read a trace several times share their passes.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/chain.h"
#include "trace/format.h"
#include "trace/memory_reader.h"
#include "witness/small_trace.h"

namespace ravel {
namespace {

class CountingReader final : public MemoryReader {
 public:
  explicit CountingReader(const SmallTrace& trace) : MemoryReader(trace.header, trace.tables, trace.events) {}
  Result<void> rewind() override {
    ++passes;
    return MemoryReader::rewind();
  }
  int passes = 1;
};

class Silent final : public DetectionSink {
  void report(const Detection& /*detection*/) override {}
};

int passes(const SmallTrace& trace, std::string_view names) {
  const auto infos = find_analyses(names);
  EXPECT_TRUE(infos) << infos.error().text();
  std::vector<std::unique_ptr<Analysis>> analyses;
  for (const AnalysisInfo* info : *infos) analyses.push_back(info->make());
  CountingReader reader(trace);
  Silent silent;
  const auto run = run_chain(reader, analyses, silent);
  EXPECT_TRUE(run) << run.error().text();
  return reader.passes;
}

TEST(Passes, AllAnalysesTakeAsManyAsTheOneThatTakesMost) {
  const auto reader = open_trace(RAVEL_SOURCE_DIR "/tests/traces/sadowski/fig-12.4-left.tid");
  ASSERT_TRUE(reader) << reader.error().text();
  const auto trace = collect(**reader, 64);
  ASSERT_TRUE(trace) << trace.error().text();
  int most = 0;
  for (const AnalysisInfo& info : analyses()) most = std::max(most, passes(*trace, info.name));
  EXPECT_GT(most, 1);
  EXPECT_EQ(passes(*trace, "all"), most);
}

// `ravel run` keeps the events of a run only if some analysis says that it may ask for them.
TEST(Passes, AnalysesTakeOneOfATraceThatIsFilteredMoreThanTheyRepeat) {
  const auto reader = open_trace(RAVEL_SOURCE_DIR "/tests/traces/algorithms/deadlock-of-three.tid");
  ASSERT_TRUE(reader) << reader.error().text();
  auto trace = collect(**reader, 64);
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(passes(*trace, "deadlock"), 3);
  for (const FilterLevel filter : {FilterLevel::Owner, FilterLevel::All}) {
    trace->header.filter = filter;
    for (const AnalysisInfo& info : analyses()) {
      if (info.repeats >= filter) continue;
      EXPECT_EQ(passes(*trace, info.name), 1) << info.name;
    }
  }
  EXPECT_FALSE((*find_analyses("deadlock")).front()->repeats >= FilterLevel::Owner);
}

}  // namespace
}  // namespace ravel
