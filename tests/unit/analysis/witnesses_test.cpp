// What a finding says of its witness.
#include "analysis/witnesses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/chain.h"
#include "support/detect.h"
#include "trace/format.h"
#include "trace/memory_reader.h"
#include "witness/small_trace.h"

namespace ravel {
namespace {

using testing::HasSubstr;

std::vector<Finding> analyzed(TraceReader& trace, std::string_view analyses) {
  const auto infos = find_analyses(analyses);
  EXPECT_TRUE(infos) << infos.error().text();
  auto findings = analyze(trace, *infos);
  EXPECT_TRUE(findings) << findings.error().text();
  return findings.value_or(std::vector<Finding>());
}

std::vector<Finding> analyzed(std::string_view tiddle, std::string_view analyses) {
  return analyzed(*trace_of(tiddle), analyses);
}

const Evidence* by(const Finding& finding, std::string_view analysis) {
  const auto found = std::ranges::find(finding.evidence, analysis, &Evidence::analysis);
  return found == finding.evidence.end() ? nullptr : &*found;
}

// A release out of nested order: all that cp says is suspected.
constexpr std::string_view kSuspected =
    "# no implied forks\nwr 1 x\nacq 1 p\nacq 1 q\nrel 1 p\nrel 1 q\nacq 2 p\nrel 2 p\nwr 2 x\n";

TEST(Witnesses, MakeASuspicionAPrediction) {
  const auto findings = analyzed(kSuspected, "cp");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].verdict(), Verdict::Predicted);
  EXPECT_EQ(findings[0].analysis(), "witness");
  ASSERT_NE(by(findings[0], "cp"), nullptr);
  EXPECT_EQ(by(findings[0], "cp")->verdict, Verdict::Suspected);
  EXPECT_EQ(by(findings[0], "witness")->events, (std::vector<std::uint64_t>{1, 8}));
}

TEST(Witnesses, MakeNoPredictionWhereSynchronizationIsUnseen) {
  auto trace = collect(*trace_of(kSuspected), 100);
  ASSERT_TRUE(trace);
  trace->header.unseen_libraries = {"libgomp.so.1"};
  MemoryReader reader = reader_of(*trace);
  const auto findings = analyzed(reader, "cp");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].verdict(), Verdict::Suspected);
}

TEST(Witnesses, AreNotFoundForWhatIsNoRace) {
  const auto findings = analyzed(
      "acq 0 p\nacq 0 q\nrel 0 p\nwr 0 x\nrel 0 q\nacq 1 p\nacq 1 q\nrel 1 q\nwr 1 x\nrel 1 p\n", "cp");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].verdict(), Verdict::Suspected);
}

// The promise of the theorem stays, which is a race or a deadlock; here it is the deadlock.
TEST(Witnesses, ThatAreMissingAreTold) {
  const auto trace = open_trace(RAVEL_SOURCE_DIR "/tests/traces/sadowski/fig-12.5-left.tid");
  ASSERT_TRUE(trace) << trace.error().text();
  const auto findings = analyzed(**trace, "cp,deadlock");
  ASSERT_EQ(findings.size(), 2U);
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.verdict(), Verdict::Predicted);
    if (finding.kind == FindingKind::Race) {
      EXPECT_EQ(by(finding, "witness"), nullptr);
      EXPECT_THAT(by(finding, "cp")->guarantee,
                  HasSubstr("no witness: none keeps the order of critical sections"));
    } else {
      EXPECT_NE(by(finding, "witness"), nullptr);
    }
  }
}

TEST(Witnesses, NeedMoreThanTheOwnerFilterLeaves) {
  const auto findings =
      analyzed("# filter: owner\nwr 1 x\nacq 1 m\nrel 1 m\nacq 2 m\nrel 2 m\nwr 2 x\n", "cp");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].verdict(), Verdict::Predicted);
  EXPECT_THAT(by(findings[0], "cp")->guarantee, HasSubstr("record with --filter=segment"));
}

// What was read before the race need not be what the trace says.
TEST(Witnesses, EndBeforeTheOrderIsUnknown) {
  constexpr std::string_view kBehindARace =
      "wr 1 z\nwr 2 z\nwr 1 x\nacq 1 m\nrel 1 m\nacq 2 m\nrel 2 m\nwr 2 x\n";
  const auto exact = analyzed(kBehindARace, "syncp");
  EXPECT_EQ(std::ranges::count(exact, Verdict::Predicted, &Finding::verdict), 2);
  const auto hooks = analyzed("# access order: hook\n" + std::string(kBehindARace), "syncp");
  EXPECT_EQ(std::ranges::count(hooks, Verdict::Predicted, &Finding::verdict), 1);
}

// Thread 2 must be through with its section before thread 1 begins its own.
TEST(Witnesses, MayChangeTheOrderOfSections) {
  constexpr std::string_view kTrace = "acq 1 m\nwr 1 x\nrel 1 m\nacq 2 m\nrel 2 m\nwr 2 x\n";
  EXPECT_TRUE(detect(kTrace, "syncp").empty());
  const auto findings = analyzed(kTrace, "cp");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(by(findings[0], "witness"), nullptr);
}

// Thread 2 is given the memory that thread 1 freed, perhaps where nobody saw it; in another order it is given
// other memory.
TEST(Witnesses, MemoryThatIsAllocatedAgainIsOtherMemory) {
  for (const std::string free : {"free 1 0x5000 16\n", ""}) {
    const std::string trace = "wr 1 x\nacq 1 m\nrel 1 m\nalloc 1 0x5000 16\nwr 1 0x5000:8\n" + free +
                              "acq 2 m\nrel 2 m\nalloc 2 0x5000 16\nwr 2 0x5000:8\nwr 2 x\n";
    EXPECT_TRUE(detect(trace, "hb").empty());
    const auto findings = analyzed(trace, "syncp");
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].object, "x");
    EXPECT_NE(by(findings[0], "witness"), nullptr);
  }
}

}  // namespace
}  // namespace ravel
