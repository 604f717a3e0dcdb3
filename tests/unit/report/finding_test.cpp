#include "report/finding.h"

#include <gtest/gtest.h>

#include "unit/report/support.h"

namespace ravel {
namespace {

TEST(FindingTexts, are_read_back) {
  for (const Verdict verdict : {Verdict::Refuted, Verdict::Suspected, Verdict::Predicted, Verdict::Observed,
                                Verdict::Confirmed, Verdict::Failing}) {
    EXPECT_EQ(verdict_from(to_string(verdict)), verdict);
  }
  EXPECT_EQ(finding_kind_from("lost-wakeup"), FindingKind::LostWakeup);
  EXPECT_EQ(to_string(FindingKind::AtomicSet), "atomic-set");
  EXPECT_FALSE(verdict_from("Observed"));
  EXPECT_FALSE(finding_kind_from(""));
}

TEST(FindingVerdict, is_the_highest_rung_and_names_the_first_analysis_on_it) {
  const Finding one =
      finding("a", {evidence("lockset", Verdict::Suspected), evidence("cp", Verdict::Predicted),
                    evidence("syncp", Verdict::Predicted), evidence("planner", Verdict::Refuted, "u")});
  EXPECT_EQ(one.verdict(), Verdict::Predicted);
  EXPECT_EQ(one.analysis(), "cp");
}

TEST(FindingVerdict, refutations_are_no_rung) {
  const Finding one = finding("a", {evidence("planner", Verdict::Refuted)});
  EXPECT_EQ(one.verdict(), Verdict::Suspected);
  EXPECT_EQ(one.analysis(), "");
  EXPECT_EQ(finding("a", {}).verdict(), Verdict::Suspected);
}

TEST(FindingClosed, only_if_refuted_in_every_scope_in_which_it_was_suspected) {
  const auto suspected = [](const char* scope) { return evidence("lockset", Verdict::Suspected, scope); };
  const auto refuted = [](const char* scope) { return evidence("smt", Verdict::Refuted, scope); };
  EXPECT_TRUE(finding("a", {suspected("t"), refuted("t")}).closed());
  EXPECT_FALSE(finding("a", {suspected("t"), refuted("u")}).closed());
  EXPECT_FALSE(finding("a", {suspected("t"), suspected("u"), refuted("u")}).closed());
  EXPECT_FALSE(finding("a", {suspected("t")}).closed());
  EXPECT_FALSE(finding("a", {}).closed());
  EXPECT_FALSE(finding("a", {evidence("cp", Verdict::Predicted, "t"), refuted("t")}).closed());
}

TEST(FindingReaches, closed_findings_never_fail_a_run) {
  const Finding open = finding("a", {evidence("lockset", Verdict::Suspected)});
  const Finding closed =
      finding("a", {evidence("lockset", Verdict::Suspected), evidence("smt", Verdict::Refuted)});
  EXPECT_TRUE(open.reaches(Verdict::Suspected));
  EXPECT_FALSE(open.reaches(Verdict::Predicted));
  EXPECT_FALSE(closed.reaches(Verdict::Suspected));
  EXPECT_TRUE(finding("a", {evidence("hb", Verdict::Observed)}).reaches(Verdict::Predicted));
}

}  // namespace
}  // namespace ravel
