#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "report/printer.h"
#include "unit/report/support.h"

namespace ravel {
namespace {

using Json = nlohmann::json;

/// Any Unicode text, NUL and control characters included.
std::string any_text() {
  std::string text;
  for (const std::uint32_t code : *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::oneOf(
           rc::gen::inRange<std::uint32_t>(0, 0x100), rc::gen::inRange<std::uint32_t>(0x100, 0xd800),
           rc::gen::inRange<std::uint32_t>(0x10000, 0x110000)))) {
    const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
    if (code < 0x80) {
      byte(code);
    } else if (code < 0x800) {
      byte(0xc0 | code >> 6), byte(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 0x3f)), byte(0x80 | (code & 0x3f));
    } else {
      byte(0xf0 | code >> 18), byte(0x80 | (code >> 12 & 0x3f)), byte(0x80 | (code >> 6 & 0x3f));
      byte(0x80 | (code & 0x3f));
    }
  }
  return text;
}

template <typename T, typename Make>
std::vector<T> any_list(Make make) {
  std::vector<T> list;
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) list.push_back(make());
  return list;
}

std::uint64_t any_number() { return *rc::gen::arbitrary<std::uint64_t>(); }
std::vector<std::uint64_t> any_numbers() { return any_list<std::uint64_t>(any_number); }
std::vector<std::string> any_texts() { return any_list<std::string>(any_text); }

Evidence any_evidence() {
  const auto verdict = static_cast<Verdict>(*rc::gen::inRange(0, static_cast<int>(Verdict::Failing) + 1));
  return {any_text(), verdict, any_text(), any_numbers(), any_text(), any_text()};
}

FindingStep any_step() {
  return {any_text(), any_text(), any_text(), any_text(), any_texts(), any_text(), any_number()};
}

std::vector<Frame> any_stack() {
  return any_list<Frame>([] { return Frame{any_text(), any_text()}; });
}

Finding any_finding() {
  Finding one;
  one.id = "i" + any_text();
  one.kind = static_cast<FindingKind>(*rc::gen::inRange(0, static_cast<int>(FindingKind::Failure) + 1));
  one.evidence = any_list<Evidence>(any_evidence);
  one.object = any_text();
  one.pattern = any_text();
  one.unit = any_text();
  one.events = any_numbers();
  one.threads = any_texts();
  one.places = any_texts();
  one.steps = any_list<FindingStep>(any_step);
  one.stacks = any_list<std::vector<Frame>>(any_stack);
  one.benign = any_text();
  one.outcome = any_text();
  one.message = any_text();
  one.occurrences = any_number();
  return one;
}

TEST(FindingsJson, parse_undoes_print) {
  ASSERT_TRUE(rc::check("parse(print(x)) == x", [] {
    const std::vector<Finding> findings = any_list<Finding>(any_finding);
    const auto parsed = parse_findings(print_json(findings), "f.json");
    if (!parsed) RC_FAIL(parsed.error().text());
    RC_ASSERT(*parsed == findings);
  }));
}

/// A report of one finding, as a tree to break.
Json report() {
  Finding one = finding("a1", {evidence("hb", Verdict::Observed)});
  one.steps.emplace_back();
  one.stacks = {{Frame{}}};
  return Json::parse(print_json({&one, 1}));
}

std::string error_of(const std::string& json) {
  const auto parsed = parse_findings(json, "f.json");
  if (parsed) return "none";
  EXPECT_EQ(parsed.error().exit_code, kExitUsage);
  return parsed.error().text();
}

/// The error after `change`, a JSON merge patch to the one finding of the report.
std::string error_after(const char* change) {
  Json broken = report();
  broken["findings"][0].merge_patch(Json::parse(change));
  return error_of(broken.dump());
}

TEST(FindingsJson, every_field_is_always_there) {
  const Finding empty;
  const Json json = Json::parse(print_json({&empty, 1}));
  EXPECT_EQ(json["version"], 1);
  EXPECT_FALSE(json.contains("target_exit"));
  for (const char* key :
       {"id", "kind", "verdict", "analysis", "evidence", "object", "pattern", "unit", "events", "threads",
        "places", "steps", "stacks", "benign", "outcome", "message", "occurrences"}) {
    EXPECT_TRUE(json["findings"][0].contains(key)) << key;
  }
  EXPECT_EQ(json["findings"][0].size(), 17u);
  EXPECT_EQ(Json::parse(print_json({}, 66))["target_exit"], 66);
}

TEST(FindingsJson, every_missing_field_is_an_error_that_names_it) {
  ASSERT_EQ(error_of(report().dump()), "none");
  const auto without_each = [](const Json::json_pointer& where, const std::string& name) {
    const Json whole = report();
    for (const auto& [key, value] : whole[where].items()) {
      Json broken = whole;
      broken[where].erase(key);
      EXPECT_EQ(error_of(broken.dump()), "f.json: " + name + " has no '" + key + "'");
    }
  };
  without_each(Json::json_pointer(""), "the report");
  without_each(Json::json_pointer("/findings/0"), "findings[0]");
  without_each(Json::json_pointer("/findings/0/evidence/0"), "findings[0].evidence[0]");
  without_each(Json::json_pointer("/findings/0/steps/0"), "findings[0].steps[0]");
  without_each(Json::json_pointer("/findings/0/stacks/0/0"), "findings[0].stacks[0][0]");
}

TEST(FindingsJson, every_field_of_another_type_is_an_error_that_names_it) {
  const Json whole = report();
  for (const auto& [key, value] : whole["findings"][0].items()) {
    for (const Json& wrong :
         {Json(nullptr), Json(true), Json(-1), Json(1.5), Json::object(), Json::array({nullptr})}) {
      Json broken = whole;
      broken["findings"][0][key] = wrong;
      EXPECT_TRUE(error_of(broken.dump()).starts_with("f.json: findings[0]." + key))
          << error_of(broken.dump());
    }
  }
}

TEST(FindingsJson, unknown_texts_are_errors) {
  EXPECT_EQ(error_after(R"({"verdict": "sure"})"),
            "f.json: findings[0].verdict is the unknown verdict 'sure'");
  EXPECT_EQ(error_after(R"({"kind": "bug"})"), "f.json: findings[0].kind is the unknown kind 'bug'");
}

TEST(FindingsJson, a_verdict_without_its_evidence_is_an_error) {
  EXPECT_EQ(error_after(R"({"verdict": "confirmed"})"),
            "f.json: findings[0].verdict is not what the evidence says");
  EXPECT_EQ(error_after(R"({"analysis": "cp"})"),
            "f.json: findings[0].analysis is not the one behind the verdict");
  EXPECT_EQ(error_after(R"({"id": ""})"), "f.json: findings[0].id is empty");
}

TEST(FindingsJson, numbers_that_do_not_fit_are_errors) {
  EXPECT_EQ(error_after(R"({"occurrences": 18446744073709551616})"),
            "f.json: findings[0].occurrences is not an unsigned integer");
  EXPECT_EQ(error_of(R"({"version": 1e999, "findings": []})"), "f.json: a number is out of range");
}

TEST(FindingsJson, unknown_keys_are_skipped) { EXPECT_EQ(error_after(R"({"later": {"x": [1]}})"), "none"); }

TEST(FindingsJson, another_version_is_an_error) {
  EXPECT_EQ(error_of(R"({"version": 2, "findings": []})"),
            "f.json: findings of version 2; this ravel reads version 1");
  EXPECT_EQ(error_of(R"({"version": "1", "findings": []})"),
            "f.json: the report.version is not an unsigned integer");
}

TEST(FindingsJson, what_is_no_json_is_an_error_with_its_line) {
  EXPECT_EQ(error_of(""), "f.json:1: not JSON, or cut off");
  EXPECT_EQ(error_of("{\n\n\"version\": 1,,\n}"), "f.json:3: not JSON, or cut off");
  EXPECT_EQ(error_of("{\"version\": \"\xff\"}"), "f.json:1: not JSON, or cut off");
  EXPECT_EQ(error_of("[]"), "f.json: the report is not an object");
}

TEST(FindingsJson, deep_nesting_is_an_error) {
  EXPECT_EQ(error_of("\n" + std::string(1 << 20, '[')), "f.json:2: the findings are nested too deeply");
  EXPECT_EQ(error_after(
                R"({"later": "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"[[[["})"),
            "none");
}

TEST(FindingsJson, invalid_utf8_in_names_still_prints) {
  Finding one = finding("a1", {evidence("hb", Verdict::Observed)});
  one.object = "x\xff\xc3y";
  const auto parsed = parse_findings(print_json({&one, 1}), "f.json");
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed->at(0).object, "x\ufffd\ufffdy");
}

TEST(FindingsDocument, its_example_is_a_report_as_printed) {
  std::ifstream file(RAVEL_SOURCE_DIR "/docs/findings.md");
  const std::string document(std::istreambuf_iterator<char>(file), {});
  const std::string fence = "```json\n";
  const std::size_t begin = document.find(fence);
  ASSERT_NE(begin, std::string::npos);
  const std::string example = document.substr(
      begin + fence.size(), document.find("```\n", begin + fence.size()) - begin - fence.size());
  const auto parsed = parse_findings(example, "findings.md");
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(print_json(*parsed), example);
}

}  // namespace
}  // namespace ravel
