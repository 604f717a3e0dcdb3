#include "report/store.h"

#include <gtest/gtest.h>

#include "unit/report/support.h"

namespace ravel {
namespace {

std::vector<std::string> ids(const std::vector<Finding>& findings) {
  std::vector<std::string> result;
  for (const Finding& finding : findings) result.push_back(finding.id);
  return result;
}

TEST(FindingStore, one_entry_per_id_with_all_evidence_strongest_first) {
  FindingStore store;
  store.add(finding("a", {evidence("lockset", Verdict::Suspected)}));
  store.add(finding("a", {evidence("cp", Verdict::Predicted)}));
  store.add(finding("a", {evidence("smt", Verdict::Refuted, "u")}));
  store.add(finding("a", {evidence("hb", Verdict::Observed)}));
  ASSERT_EQ(store.size(), 1u);
  const Finding merged = store.sorted()[0];
  ASSERT_EQ(merged.evidence.size(), 4u);
  EXPECT_EQ(merged.evidence[0].analysis, "hb");
  EXPECT_EQ(merged.evidence[1].analysis, "cp");
  EXPECT_EQ(merged.evidence[2].analysis, "lockset");
  EXPECT_EQ(merged.evidence[3].analysis, "smt");
}

TEST(FindingStore, the_stronger_verdict_describes_between_equals_the_first) {
  Finding weak = finding("a", {evidence("lockset", Verdict::Suspected)});
  weak.events = {1, 2};
  weak.message = "weak";
  weak.unit = "transfer";
  Finding strong = finding("a", {evidence("hb", Verdict::Observed)});
  strong.events = {3, 4};
  strong.message = "strong";
  Finding equal = finding("a", {evidence("shb", Verdict::Observed)});
  equal.events = {5, 6};
  equal.message = "equal";

  FindingStore store;
  store.add(weak);
  store.add(strong);
  store.add(equal);
  store.add(weak);
  const Finding merged = store.sorted()[0];
  EXPECT_EQ(merged.message, "strong");
  EXPECT_EQ(merged.events, (std::vector<std::uint64_t>{3, 4}));
  EXPECT_EQ(merged.unit, "transfer") << "only the weaker one names it";
}

TEST(FindingStore, the_same_evidence_is_kept_once_with_the_schedule_it_lacked) {
  FindingStore store;
  store.add(finding("a", {evidence("cp", Verdict::Predicted)}));
  Evidence again = evidence("cp", Verdict::Predicted);
  again.schedule = "s.json";
  store.add(finding("a", {again}));
  const Finding merged = store.sorted()[0];
  ASSERT_EQ(merged.evidence.size(), 1u);
  EXPECT_EQ(merged.evidence[0].schedule, "s.json");
}

TEST(FindingStore, occurrences_add_up_over_scopes_but_not_over_analyses) {
  const auto seen = [](const char* analysis, const char* scope, std::uint64_t times) {
    Finding one = finding("a", {evidence(analysis, Verdict::Observed, scope)});
    one.occurrences = times;
    return one;
  };
  FindingStore store;
  store.add(seen("hb", "t", 2));
  store.add(seen("hb", "t", 3));
  EXPECT_EQ(store.sorted()[0].occurrences, 5u);
  store.add(seen("shb", "t", 4));
  EXPECT_EQ(store.sorted()[0].occurrences, 5u);
  store.add(seen("hb", "u", 10));
  EXPECT_EQ(store.sorted()[0].occurrences, 15u);
}

TEST(FindingStore, sorts_by_verdict_then_first_event_then_arrival) {
  const auto at = [](const char* id, Verdict verdict, std::vector<std::uint64_t> events) {
    Finding one = finding(id, {evidence("x", verdict)});
    one.events = std::move(events);
    return one;
  };
  FindingStore store;
  store.add(at("none", Verdict::Observed, {}));
  store.add(at("late", Verdict::Observed, {8, 9}));
  store.add(at("weak", Verdict::Suspected, {1}));
  store.add(at("early", Verdict::Observed, {7, 2}));
  store.add(at("same", Verdict::Observed, {2}));
  EXPECT_EQ(ids(store.sorted()), (std::vector<std::string>{"early", "same", "late", "none", "weak"}));
}

TEST(FindingStore, a_refutation_contradicts_a_prediction_of_the_same_scope_only) {
  FindingStore store;
  store.add(finding("bug", {evidence("cp", Verdict::Predicted, "t")}));
  store.add(finding("fine", {evidence("cp", Verdict::Predicted, "t")}));
  store.add(finding("closed", {evidence("lockset", Verdict::Suspected, "t")}));
  EXPECT_TRUE(store.contradictions().empty());
  store.add(finding("bug", {evidence("smt", Verdict::Refuted, "t")}));
  store.add(finding("fine", {evidence("smt", Verdict::Refuted, "t events 1-10")}));
  store.add(finding("closed", {evidence("smt", Verdict::Refuted, "t")}));
  EXPECT_EQ(store.contradictions(), std::vector<std::string>{"bug"});
  EXPECT_EQ(store.sorted()[0].evidence.size(), 2u) << "both are kept";
}

}  // namespace
}  // namespace ravel
