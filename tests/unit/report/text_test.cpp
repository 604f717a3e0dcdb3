#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/printer.h"
#include "unit/report/support.h"

namespace ravel {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

FindingStep step(const char* operation, const char* thread, const char* place, std::uint64_t event) {
  return {thread, place, operation, "balance", {}, "", event};
}

Finding race() {
  Finding one = finding("00000000000000a1",
                        {evidence("cp", Verdict::Predicted), evidence("lockset", Verdict::Suspected)});
  one.evidence[0].guarantee = "first race of its trace";
  one.object = "balance";
  one.events = {12, 19};
  one.threads = {"T1", "T2"};
  one.places = {"bank.cpp:2", "bank.cpp:4"};
  one.steps = {step("write", "T1", "bank.cpp:2", 12), step("read", "T2", "bank.cpp:4", 19)};
  one.steps[0].locks = {"m", "n"};
  one.steps[0].value = "5";
  one.stacks = {{{"deposit(int)", "bank.cpp:2"}, {"main", "bank.cpp:9"}}, {}};
  one.message = "write of balance by thread T1 and read by thread T2 are not ordered";
  one.occurrences = 3;
  return one;
}

std::string text(const Finding& finding, ReportContext context = {}) {
  return print_text({&finding, 1}, context);
}

TEST(TextReport, a_block_says_it_all) {
  const TemporaryDirectory sources;
  sources.write("bank.cpp", "void deposit(int x) {\n    balance  +=  x;\n}\n");
  ReportContext context;
  context.source_directory = sources.path();
  context.next_command = "ravel confirm f.json --only {id}";
  EXPECT_EQ(text(race(), context),
            "predicted: data race on balance  [00000000000000a1]\n"
            "  write of balance by thread T1 and read by thread T2 are not ordered\n"
            "  write by thread T1 at bank.cpp:2, of balance, holding m, n, value 5 (event 12)\n"
            "    2 | balance += x;\n"
            "    #0 deposit(int) bank.cpp:2\n"
            "    #1 main bank.cpp:9\n"
            "  read by thread T2 at bank.cpp:4, of balance, no locks held (event 19)\n"
            "  evidence:\n"
            "    predicted by cp in t.std: first race of its trace\n"
            "    suspected by lockset in t.std\n"
            "  seen 3 times\n"
            "  next: ravel confirm f.json --only 00000000000000a1\n"
            "\n"
            "SUMMARY: 1 finding\n"
            "bank.cpp:2: warning: write of balance by thread T1 and read by thread T2 are not ordered "
            "(predicted by cp) "
            "[race]\n");
}

TEST(TextReport, the_next_command_may_name_the_rule) {
  ReportContext context;
  context.next_command = "ravel explain {rule}";
  EXPECT_THAT(text(race(), context), HasSubstr("  next: ravel explain race\n"));
}

TEST(TextReport, what_a_finding_may_have_besides) {
  Finding one = race();
  one.unit = "Bank::transfer";
  one.pattern = "Ru(x) Wv(x) Wu(x)";
  one.benign = "both write the same value";
  one.outcome = "assertion failed";
  const std::string report = text(one);
  EXPECT_THAT(report, HasSubstr("  unit of work: Bank::transfer\n  pattern: Ru(x) Wv(x) Wu(x)\n"));
  EXPECT_THAT(report, HasSubstr("  outcome: assertion failed\n"));
  EXPECT_THAT(report, HasSubstr("  harmless: both write the same value\n"));
}

TEST(TextReport, a_schedule_is_the_command_that_repeats_it) {
  Finding one = race();
  one.evidence[1].schedule = "out dir/it's.json";
  ReportContext context;
  context.next_command = "ravel confirm f.json";
  EXPECT_THAT(text(one, context), HasSubstr("  next: ravel replay 'out dir/it'\\''s.json'\n"));
}

TEST(TextReport, places_alone_when_there_are_no_steps) {
  Finding one = race();
  one.steps.clear();
  EXPECT_THAT(text(one), HasSubstr("  at bank.cpp:2 by thread T1\n    #0 deposit(int) bank.cpp:2\n"));
}

TEST(TextReport, of_many_steps_only_those_of_the_finding) {
  Finding one = race();
  one.steps.clear();
  for (std::uint64_t event = 1; event <= 30; ++event)
    one.steps.push_back(step("read", "T1", "bank.cpp:7", event));
  const std::string report = text(one);
  EXPECT_THAT(report, HasSubstr("(event 12)\n"));
  EXPECT_THAT(report, HasSubstr("(event 19)\n  28 more steps: --json shows them\n"));
  EXPECT_THAT(report, Not(HasSubstr("(event 13)")));
}

TEST(TextReport, a_trace_with_numbers_for_places_is_named_with_the_event) {
  Finding one = race();
  one.places = {"404", "405"};
  one.steps.clear();
  ReportContext context;
  context.traces = {"bank.std"};
  EXPECT_THAT(text(one, context), HasSubstr("\nbank.std:12: warning: "));
  context.traces = {"a.std", "b.std"};
  EXPECT_THAT(text(one, context), HasSubstr("\nt.std:12: warning: ")) << "the scope of its evidence";
  one.events.clear();
  EXPECT_THAT(text(one, context), HasSubstr("\nt.std:404: warning: "));
  one.places.clear();
  EXPECT_THAT(text(one, context), HasSubstr("\nt.std: warning: "));
}

TEST(TextReport, findings_below_fail_on_are_counted) {
  std::vector<Finding> findings(3, finding("a", {evidence("lockset", Verdict::Suspected)}));
  EXPECT_EQ(print_text(findings, {}),
            "SUMMARY: no findings to show\n3 suspected findings not shown; --show-all shows them\n");
  findings.resize(1);
  EXPECT_EQ(print_text(findings, {}),
            "SUMMARY: no findings to show\n1 suspected finding not shown; --show-all shows it\n");
  findings.push_back(race());
  ReportContext confirmed_only;
  confirmed_only.fail_on = Verdict::Confirmed;
  EXPECT_THAT(print_text(findings, confirmed_only),
              EndsWith("1 predicted, 1 suspected findings not shown; --show-all shows them\n"));
  EXPECT_EQ(print_text({}, {}), "SUMMARY: no findings\n");
}

TEST(TextReport, show_all_shows_suspected_and_refuted_ones) {
  const std::vector findings = {
      finding("a", {evidence("lockset", Verdict::Suspected)}),
      finding("b", {evidence("lockset", Verdict::Suspected), evidence("smt", Verdict::Refuted)})};
  ReportContext context;
  context.fail_on = Verdict::Suspected;
  EXPECT_THAT(print_text(findings, context),
              EndsWith("\n1 refuted finding not shown; --show-all shows it\n"));
  context.show_all = true;
  const std::string report = print_text(findings, context);
  EXPECT_THAT(report, HasSubstr("refuted: data race  [b]\n"));
  EXPECT_THAT(report, EndsWith("SUMMARY: 2 findings\n"
                               "t.std: warning: data race (suspected by lockset) [race-suspected]\n"
                               "t.std: note: data race (refuted) [race-suspected]\n"));
}

TEST(TextReport, colours_only_when_asked_for) {
  ReportContext context;
  EXPECT_THAT(text(race(), context), Not(HasSubstr("\x1b")));
  context.color = true;
  EXPECT_THAT(text(race(), context), HasSubstr("\x1b[1;33mpredicted\x1b[0m"));
}

TEST(TextReport, names_cannot_command_the_terminal) {
  Finding one = race();
  one.object = "x\x1b[2J\n\u009b2Jy";
  one.message.clear();
  const std::string report = text(one);
  EXPECT_THAT(report, HasSubstr("data race on x\\x1b[2J\\x0a\\u009b2Jy"));
  EXPECT_THAT(report, Not(HasSubstr("\x1b")));
}

TEST(RuleName, is_the_kind_and_says_suspected) {
  Finding one = race();
  EXPECT_EQ(rule_name(one), "race");
  one.evidence.erase(one.evidence.begin());
  EXPECT_EQ(rule_name(one), "race-suspected");
  one.kind = FindingKind::AtomicSet;
  EXPECT_EQ(rule_name(one), "atomic-set-suspected");
}

}  // namespace
}  // namespace ravel
