#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>

#include "schedule/json_reader.h"
#include "schedule/schedule.h"
#include "unit/schedule/support.h"

namespace ravel {
namespace {

constexpr std::string_view kSmall = R"({"version": 1, "decisions": [["0", 3], ["0.1", 2]]})";

std::string error_of(std::string_view json) {
  const Parsed parsed(json);
  if (parsed.error.ok()) return "none";
  std::string text = std::to_string(parsed.error.line) + ": ";
  if (*parsed.error.key != '\0') text += std::string(parsed.error.key) + ": ";
  return text + parsed.error.message;
}

/// The error of a schedule with this member more.
std::string error_with(const std::string& member) {
  return error_of("{\"version\": 1,\n\"decisions\": [],\n" + member + "}");
}

std::string error_of_step(const std::string& step) {
  return error_of("{\"version\": 1,\n\"constraints\": [[" + step +
                  ", {\"place\": \"a.c:1\", \"occurrence\": 1}]]}");
}

std::string directory_from(const std::string& literal) {
  const Parsed parsed("{\"version\": 1, \"decisions\": [], \"directory\": \"" + literal + "\"}");
  return parsed.error.ok() ? std::string(parsed.schedule.directory)
                           : std::string("error: ") + parsed.error.message;
}

TEST(ForkPath, only_the_canonical_form_is_well_formed) {
  for (const char* good : {"0", "0.0", "0.1", "0.10.0", "0.1.2.3"})
    EXPECT_TRUE(ForkPath{good}.well_formed()) << good;
  for (const char* bad : {"", "1", "00", "0.", ".0", "0..1", "0.01", "0.a", "0 ", "0.1."}) {
    EXPECT_FALSE(ForkPath{bad}.well_formed()) << bad;
  }
}

TEST(ForkPath, a_child_is_named_by_its_number) {
  HeapBlocks blocks;
  Arena arena(HeapBlocks::more, &blocks);
  EXPECT_EQ(ForkPath{"0"}.child(0, arena).text, "0.0");
  EXPECT_EQ(ForkPath{"0.1"}.child(1234567890123, arena).text, "0.1.1234567890123");
  Arena empty{std::span<std::byte>()};
  EXPECT_EQ(ForkPath{"0"}.child(0, empty), ForkPath{});
}

TEST(ParseSchedule, decisions) {
  const Parsed parsed(kSmall);
  ASSERT_TRUE(parsed.error.ok()) << parsed.error.message;
  EXPECT_EQ(parsed.schedule.form, ScheduleForm::Decisions);
  ASSERT_EQ(parsed.schedule.decisions.size(), 2u);
  EXPECT_EQ(parsed.schedule.decisions[0], (Decision{{"0"}, 3}));
  EXPECT_EQ(parsed.schedule.decisions[1], (Decision{{"0.1"}, 2}));
}

TEST(ParseSchedule, decisions_with_the_kind_of_their_steps) {
  const Parsed parsed(R"({"version": 1, "decisions": [["0", 3, "lock"], ["0.1", 1, "read"], ["0", 1]]})");
  ASSERT_TRUE(parsed.error.ok()) << parsed.error.message;
  ASSERT_EQ(parsed.schedule.decisions.size(), 3u);
  EXPECT_EQ(parsed.schedule.decisions[0], (Decision{{"0"}, 3, OperationKind::Lock, true}));
  EXPECT_EQ(parsed.schedule.decisions[1], (Decision{{"0.1"}, 1, OperationKind::Read, true}));
  EXPECT_EQ(parsed.schedule.decisions[2], (Decision{{"0"}, 1}));
}

TEST(ParseSchedule, how_to_run_has_defaults) {
  const Parsed plain(kSmall);
  EXPECT_EQ(plain.schedule.switch_at, SwitchAt::Sync);
  EXPECT_TRUE(plain.schedule.virtual_time);
  EXPECT_TRUE(plain.schedule.virtual_random);
  EXPECT_EQ(plain.schedule.step_limit, 0u);

  const Parsed all(R"({"version": 1, "decisions": [],
                       "switch_at": "shared", "virtual": ["random"], "step_limit": 7})");
  ASSERT_TRUE(all.error.ok()) << all.error.message;
  EXPECT_EQ(all.schedule.switch_at, SwitchAt::Shared);
  EXPECT_FALSE(all.schedule.virtual_time);
  EXPECT_TRUE(all.schedule.virtual_random);
  EXPECT_EQ(all.schedule.step_limit, 7u);

  const Parsed none(R"({"version": 1, "decisions": [], "virtual": []})");
  EXPECT_FALSE(none.schedule.virtual_time);
  EXPECT_FALSE(none.schedule.virtual_random);
}

TEST(ParseSchedule, unknown_keys_are_skipped_whatever_their_value) {
  EXPECT_EQ(error_with(R"("x": {"a": [1, -2.5e+3, true, false, null, {}, [], "\ud83d\ude00"]})"), "none");
  EXPECT_EQ(error_of(R"({"version": 1, "constraints": [[{"place": "a", "occurrence": 1, "later": [{}]},
                                                        {"place": "b", "occurrence": 1}]]})"),
            "none");
}

TEST(ParseSchedule, skipped_values_must_be_json) {
  EXPECT_EQ(error_with(R"("x": 01)"), "3: a number begins with 0");
  EXPECT_EQ(error_with(R"("x": 1.)"), "3: expected a digit");
  EXPECT_EQ(error_with(R"("x": tru)"), "3: expected a value");
  EXPECT_EQ(error_with(R"("x": [1,])"), "3: a comma is followed by nothing");
  EXPECT_EQ(error_with(R"("x": {"a" 1})"), "3: expected ':'");
}

TEST(ParseSchedule, errors_name_line_and_key) {
  EXPECT_EQ(error_of(""), "1: expected an object");
  EXPECT_EQ(error_of("[]"), "1: expected an object");
  EXPECT_EQ(error_of("{\n\"version\": 2, \"decisions\": []}"),
            "2: version: this version of schedules is not known");
  EXPECT_EQ(error_of(R"({"decisions": []})"), "1: the schedule has no version");
  EXPECT_EQ(error_of(R"({"version": 1})"), "1: a schedule has either decisions or constraints");
  EXPECT_EQ(error_with(R"("constraints": [])"), "1: a schedule has either decisions or constraints");
  EXPECT_EQ(error_with(R"("seed": "7")"), "3: seed: expected an unsigned integer");
  EXPECT_EQ(error_with(R"("seed": -7)"), "3: seed: expected an unsigned integer");
  EXPECT_EQ(error_with(R"("seed": 7.0)"), "3: seed: expected an unsigned integer");
  EXPECT_EQ(error_with(R"("seed": 18446744073709551616)"), "3: seed: a number does not fit into 64 bits");
  EXPECT_EQ(error_with(R"("strategy": 1)"), "3: strategy: expected a string");
  EXPECT_EQ(error_with(R"("command": "./a")"), "3: command: expected an array");
  EXPECT_EQ(error_with(R"("command": [1])"), "3: command: expected a string");
  EXPECT_EQ(error_with(R"("switch_at": "locks")"), "3: switch_at: expected sync, shared or all");
  EXPECT_EQ(error_with(R"("switch_at": 1)"), "3: switch_at: expected a string");
  EXPECT_EQ(error_with(R"("virtual": ["time", "memory"])"), "3: virtual: expected time or random");
  EXPECT_EQ(error_with(R"("virtual": true)"), "3: virtual: expected an array");
  EXPECT_EQ(error_with(R"("step_limit": -1)"), "3: step_limit: expected an unsigned integer");
  EXPECT_EQ(error_with("\"seed\": 1,\n\"seed\": 1"), "4: seed: given twice");
  EXPECT_EQ(error_of(std::string(kSmall) + "\n}"), "2: text after the end");
  EXPECT_EQ(error_of(kSmall.substr(0, kSmall.size() - 1)), "1: expected ',' or '}'");
}

TEST(ParseSchedule, the_biggest_seed_fits) {
  const Parsed parsed(R"({"version": 1, "decisions": [], "seed": 18446744073709551615})");
  ASSERT_TRUE(parsed.error.ok());
  EXPECT_EQ(parsed.schedule.seed, UINT64_MAX);
}

TEST(ParseSchedule, decisions_of_the_wrong_shape) {
  const auto error_of_decision = [](const std::string& decision) {
    return error_of("{\"version\": 1, \"decisions\": [" + decision + "]}");
  };
  const std::string shape =
      "1: decisions: a decision is an array of a thread, a number of steps and, if known, their kind";
  EXPECT_EQ(error_of_decision("[]"), shape);
  EXPECT_EQ(error_of_decision(R"(["0"])"), shape);
  EXPECT_EQ(error_of_decision(R"(["0", 1, "lock", 2])"), shape);
  EXPECT_EQ(error_of_decision(R"(["0", 1, 2])"), "1: decisions: expected a string");
  EXPECT_EQ(error_of_decision(R"(["0", 1, "acq"])"), "1: decisions: unknown kind of operation");
  EXPECT_EQ(error_of_decision(R"(["0", 1, ""])"), "1: decisions: unknown kind of operation");
  EXPECT_EQ(error_of_decision(R"(["0", 0])"), "1: decisions: a decision has at least one step");
  EXPECT_EQ(error_of_decision(R"([0, 1])"), "1: decisions: expected a string");
  EXPECT_EQ(error_of_decision(R"(["main", 1])"),
            "1: decisions: a thread is a fork path: 0 for the main thread, 0.1 for the second it starts");
}

TEST(ParseSchedule, a_step_must_be_findable) {
  const std::string needs = "2: constraints: a step needs thread, syncs and ordinal, or place and occurrence";
  EXPECT_EQ(error_of_step("{}"), needs);
  EXPECT_EQ(error_of_step(R"({"syncs": 1, "ordinal": 1})"), needs);
  EXPECT_EQ(error_of_step(R"({"place": "a.c:1"})"), needs);
  EXPECT_EQ(error_of_step(R"({"place": "a.c:1", "occurrence": 0})"), needs);
  EXPECT_EQ(error_of_step(R"({"thread": "0", "syncs": 1})"),
            "2: constraints: a step has both syncs and ordinal, or neither");
  EXPECT_EQ(error_of_step(R"({"thread": "0", "syncs": 1, "ordinal": 0, "kind": "jump"})"),
            "2: kind: unknown kind of event");
  EXPECT_EQ(error_of_step(R"({"thread": "0", "syncs": 1, "ordinal": 0, "kind": "wr"})"), "none");
  EXPECT_EQ(error_of_step(R"({"place": "a.c:1", "occurrence": 1})"), "none");
}

TEST(ParseSchedule, strings_with_all_escapes) {
  EXPECT_EQ(directory_from(R"(\"\\\/\b\f\n\r\t)"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(directory_from(R"(\u0041\u00e9\u20AC)"), "A\u00e9\u20ac");
  EXPECT_EQ(directory_from(R"(\ud83d\ude00)"), "\U0001f600");
  EXPECT_EQ(directory_from(R"(\udcff\udc80)"), "\xff\x80");
  EXPECT_EQ(directory_from("\u00e9"), "\u00e9");
}

TEST(ParseSchedule, strings_that_are_wrong) {
  EXPECT_EQ(directory_from(R"(\x41)"), "error: unknown escape in a string");
  EXPECT_EQ(directory_from(R"(\u12g4)"), "error: \\u needs four hexadecimal digits");
  EXPECT_EQ(directory_from(R"(\ud83d)"), "error: high surrogate without a low one");
  EXPECT_EQ(directory_from(R"(\ud83d\u0041)"), "error: high surrogate without a low one");
  EXPECT_EQ(directory_from(R"(\udc00)"), "error: low surrogate without a high one");
  EXPECT_EQ(directory_from(R"(\u0000)"), "error: a string contains \\u0000");
  EXPECT_EQ(directory_from("\xff"), "error: a string is not UTF-8");
  EXPECT_EQ(directory_from("\xc0\xaf"), "error: a string is not UTF-8");
  EXPECT_EQ(directory_from("\xed\xa0\x80"), "error: a string is not UTF-8");
  EXPECT_EQ(directory_from("\n"), "error: control character in a string");
  EXPECT_EQ(error_with(R"("directory": "abc)"), "3: directory: a string has no end");
}

TEST(ParseSchedule, deep_nesting_is_an_error) {
  const auto nested = [](std::size_t depth) {
    return error_with("\"x\": " + std::string(depth, '[') + std::string(depth, ']'));
  };
  EXPECT_EQ(nested(JsonReader::kMaxDepth), "none");
  EXPECT_EQ(nested(JsonReader::kMaxDepth + 1), "3: nested too deeply");
  EXPECT_EQ(error_with("\"x\": " + std::string(1 << 20, '[')), "3: nested too deeply");
}

TEST(ParseSchedule, out_of_memory_is_an_error_and_out_is_untouched) {
  for (std::size_t size = 0;; ++size) {
    ASSERT_LT(size, 4096u) << "never enough memory";
    const auto memory = std::make_unique<std::byte[]>(size);
    Arena arena(std::span(memory.get(), size));
    Schedule schedule;
    schedule.seed = 99;
    const ScheduleError error = parse_schedule(kSmall, arena, schedule);
    if (error.ok()) break;
    ASSERT_STREQ(error.message, "out of memory");
    ASSERT_EQ(schedule.seed, 99u);
  }
}

TEST(ParseSchedule, every_prefix_of_a_schedule_is_an_error) {
  for (std::size_t size = 0; size < kSmall.size(); ++size) {
    const std::string prefix(kSmall.substr(0, size));  // of exact size: the sanitizer sees a read behind it
    EXPECT_NE(error_of(prefix), "none") << prefix;
  }
}

/// The blocks between ```json and ``` of a document.
std::vector<std::string> json_blocks(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> blocks;
  std::string line;
  bool inside = false;
  while (std::getline(file, line)) {
    if (line == "```json") {
      blocks.emplace_back();
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

TEST(ScheduleDocument, its_examples_are_schedules_as_printed) {
  const std::vector<std::string> blocks = json_blocks(RAVEL_SOURCE_DIR "/docs/schedule.md");
  ASSERT_EQ(blocks.size(), 2u);
  const Parsed decisions(blocks[0]);
  ASSERT_TRUE(decisions.error.ok()) << decisions.error.message << " at line " << decisions.error.line;
  EXPECT_EQ(decisions.schedule.form, ScheduleForm::Decisions);
  EXPECT_EQ(printed(decisions.schedule), blocks[0]);
  const Parsed constraints(blocks[1]);
  ASSERT_TRUE(constraints.error.ok()) << constraints.error.message << " at line " << constraints.error.line;
  EXPECT_EQ(constraints.schedule.form, ScheduleForm::Constraints);
  EXPECT_EQ(printed(constraints.schedule), blocks[1]);
}

}  // namespace
}  // namespace ravel
