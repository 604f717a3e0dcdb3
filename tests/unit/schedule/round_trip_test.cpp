#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "schedule/kind_text.h"
#include "schedule/schedule.h"
#include "unit/schedule/support.h"

namespace ravel {
namespace {

/// Any bytes but NUL, also such that are not UTF-8: what the kernel allows in an argument.
std::string any_text() {
  return *rc::gen::container<std::string>(
      rc::gen::map(rc::gen::inRange(1, 256), [](int byte) { return static_cast<char>(byte); }));
}

std::string any_path() {
  std::string path = "0";
  for (const std::uint32_t index : *rc::gen::arbitrary<std::vector<std::uint32_t>>()) {
    path += "." + std::to_string(index);
  }
  return path;
}

/// Owns what a random Schedule points to.
class Texts {
 public:
  std::string_view keep(std::string text) {
    texts_.push_back(std::make_unique<std::string>(std::move(text)));
    return *texts_.back();
  }

 private:
  std::vector<std::unique_ptr<std::string>> texts_;
};

Step any_step(Texts& texts) {
  Step step;
  const bool counted = *rc::gen::arbitrary<bool>();
  const bool placed = !counted || *rc::gen::arbitrary<bool>();
  if (counted || *rc::gen::arbitrary<bool>()) step.thread.text = texts.keep(any_path());
  if (counted) {
    step.syncs = *rc::gen::inRange<std::uint64_t>(0, Step::kUnknown);
    step.ordinal = *rc::gen::inRange<std::uint64_t>(0, Step::kUnknown);
  }
  if (placed) {
    step.place = texts.keep("p" + any_text());
    step.occurrence = *rc::gen::inRange<std::uint64_t>(1, UINT64_MAX);
  }
  step.has_kind = *rc::gen::arbitrary<bool>();
  if (step.has_kind) {
    step.kind = static_cast<EventKind>(*rc::gen::inRange(0, kEventKindCount));
    RC_PRE(!kind_text(step.kind).empty());
  }
  return step;
}

Decision any_decision(Texts& texts) {
  Decision decision{{texts.keep(any_path())}, *rc::gen::inRange<std::uint64_t>(1, UINT64_MAX)};
  decision.has_kind = *rc::gen::arbitrary<bool>();
  if (decision.has_kind) {
    decision.kind = static_cast<OperationKind>(*rc::gen::inRange<std::size_t>(0, kOperationKinds));
  }
  return decision;
}

TEST(ScheduleRoundTrip, parse_undoes_print) {
  ASSERT_TRUE(rc::check("parse(print(x)) == x", [] {
    Texts texts;
    std::vector<std::string_view> command;
    std::vector<std::string_view> environment;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) command.push_back(texts.keep(any_text()));
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) environment.push_back(texts.keep(any_text()));
    std::vector<Decision> decisions;
    std::vector<Constraint> constraints;

    Schedule schedule;
    schedule.command = command;
    schedule.directory = texts.keep(any_text());
    schedule.environment = environment;
    schedule.input_hash = texts.keep(any_text());
    schedule.seed = *rc::gen::arbitrary<std::uint64_t>();
    schedule.strategy = texts.keep(any_text());
    schedule.switch_at = *rc::gen::element(SwitchAt::Sync, SwitchAt::Shared, SwitchAt::All);
    schedule.virtual_time = *rc::gen::arbitrary<bool>();
    schedule.virtual_random = *rc::gen::arbitrary<bool>();
    schedule.start_time = *rc::gen::arbitrary<std::uint64_t>();
    schedule.step_limit = *rc::gen::arbitrary<std::uint64_t>();
    schedule.outcome = texts.keep(any_text());
    if (*rc::gen::arbitrary<bool>()) {
      for (int i = *rc::gen::inRange(0, 30); i > 0; --i) {
        decisions.push_back(any_decision(texts));
      }
      schedule.decisions = decisions;
    } else {
      schedule.form = ScheduleForm::Constraints;
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i)
        constraints.push_back({any_step(texts), any_step(texts)});
      schedule.constraints = constraints;
    }

    const std::string text = printed(schedule);
    const Parsed parsed(text);
    if (!parsed.error.ok()) RC_FAIL(parsed.error.message);
    RC_ASSERT(parsed.schedule == schedule);
    RC_ASSERT(printed(parsed.schedule) == text);
  }));
}

TEST(ScheduleRoundTrip, equality_sees_every_field) {
  const Schedule plain;
  const std::string_view word[] = {"x"};
  const Decision decision[] = {{{"0"}, 1}};
  const Constraint constraint[] = {Constraint{}};
  std::vector<Schedule> changed(15, plain);
  changed[0].command = word;
  changed[1].directory = "x";
  changed[2].environment = word;
  changed[3].input_hash = "x";
  changed[4].seed = 1;
  changed[5].strategy = "x";
  changed[6].outcome = "x";
  changed[7].form = ScheduleForm::Constraints;
  changed[8].decisions = decision;
  changed[9].constraints = constraint;
  changed[10].switch_at = SwitchAt::All;
  changed[11].virtual_time = false;
  changed[12].virtual_random = false;
  changed[13].step_limit = 1;
  changed[14].start_time = 1;
  EXPECT_EQ(plain, Schedule{});
  for (const Schedule& schedule : changed) EXPECT_FALSE(schedule == plain) << schedule;
}

TEST(PrintSchedule, a_buffer_gets_what_fits_and_the_size_of_the_whole) {
  const Schedule schedule;
  const std::string whole = printed(schedule);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    std::string buffer(size, '?');
    EXPECT_EQ(print_schedule(schedule, std::span<char>(buffer)), whole.size());
    EXPECT_EQ(buffer, whole.substr(0, size));
  }
}

TEST(PrintSchedule, stops_when_the_writer_gives_up) {
  const std::string outcome(10'000, 'x');
  Schedule schedule;
  schedule.outcome = outcome;
  int calls = 0;
  const auto give_up = [](void* context, std::string_view) {
    ++*static_cast<int*>(context);
    return false;
  };
  EXPECT_FALSE(print_schedule(schedule, give_up, &calls));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace ravel
