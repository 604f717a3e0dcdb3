#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "unit/schedule/random_programs.h"
#include "unit/schedule/simulator.h"

namespace ravel {
namespace {

using enum OperationKind;

struct Followed {
  explicit Followed(const SimProgram& program, const std::vector<Constraint>& constraints,
                    std::string_view fallback = "", std::uint64_t seed = 0) {
    Schedule schedule = schedule_with(fallback, seed);
    schedule.form = ScheduleForm::Constraints;
    schedule.constraints = constraints;
    MadeStrategy strategy(schedule);
    Simulator simulator(program);
    steps = simulator.run(*strategy);
    all_ended = simulator.all_ended();
    if (all_ended) strategy->end({steps.size(), {}, Moment::kNobody});
    if (strategy->departure() == nullptr) return;
    departed = true;
    departure = *strategy->departure();
  }

  /// "step thread expected: found"
  std::string text() const {
    if (!departed) return "none";
    return std::to_string(departure.step) + " " + std::string(departure.thread.text) + " " +
           std::string(departure.expected) + ": " + std::string(departure.found);
  }

  std::vector<SimStep> steps;
  bool all_ended = false;
  bool departed = false;
  Departure departure;
};

Step with_kind(Step step, EventKind kind) {
  step.kind = kind;
  step.has_kind = true;
  return step;
}

/// `count` reads at the given place.
SimThread reads_at(std::uint32_t place, std::size_t count) { return {count, {.kind = Read, .place = place}}; }

// A step's text must outlive it.
struct Named {
  Named(const SimProgram& program, std::uint32_t of, std::size_t number) : thread(of), operation(number) {
    path = sim_path(thread);
    for (std::size_t i = 0; i < operation; ++i) {
      ordinal = sim_synchronizes(program[thread][i].kind) ? 0 : ordinal + 1;
      syncs += sim_synchronizes(program[thread][i].kind) ? 1 : 0;
    }
    char text[20];
    std::snprintf(text, sizeof(text), "@ffff,%x", program[thread][operation].place);
    place = text;
  }

  /// In one of the ways to name it.
  Step step(int way) const {
    if (way == 0) return counted_step(path, syncs, ordinal);
    return placed_step(place, 1, way == 1 ? std::string_view(path) : "");
  }

  std::size_t position_in(const std::vector<SimStep>& steps) const {
    const auto found = std::find_if(steps.begin(), steps.end(), [&](const SimStep& step) {
      return step.thread == thread && step.operation == operation;
    });
    return static_cast<std::size_t>(found - steps.begin());
  }

  std::uint32_t thread;
  std::size_t operation;
  std::uint64_t syncs = 0;
  std::uint64_t ordinal = 0;
  std::string path;
  std::string place;
};

TEST(FollowConstraints, force_any_order_of_two_operations) {
  ASSERT_TRUE(rc::check("before comes before after", [] {
    const SimProgram program = any_lock_free_program();
    const auto any_operation = [&](std::uint32_t thread) {
      return Named(program, thread, *rc::gen::inRange<std::size_t>(0, program[thread].size()));
    };
    const auto first = *rc::gen::inRange<std::uint32_t>(0, 3);
    const Named before = any_operation(first);
    const Named after = any_operation((first + *rc::gen::inRange(1u, 3u)) % 3);
    const Constraint constraint{before.step(*rc::gen::inRange(0, 3)), after.step(*rc::gen::inRange(0, 3))};
    const Followed followed(program, {constraint}, any_strategy(), *rc::gen::arbitrary<std::uint64_t>());
    RC_ASSERT(!followed.departed);
    RC_ASSERT(followed.all_ended);
    RC_ASSERT(before.position_in(followed.steps) < after.position_in(followed.steps));
  }));
}

TEST(FollowConstraints, force_any_total_order) {
  ASSERT_TRUE(rc::check("a chain of constraints is the run it was made from", [] {
    const SimProgram program = any_lock_free_program();
    const auto wanted = run(program, schedule_with("random", *rc::gen::arbitrary<std::uint64_t>()));
    std::vector<Named> named;
    for (const SimStep& step : wanted) named.emplace_back(program, step.thread, step.operation);
    std::vector<Constraint> constraints;
    for (std::size_t i = 1; i < named.size(); ++i) {
      constraints.push_back(
          {named[i - 1].step(*rc::gen::inRange(0, 3)), named[i].step(*rc::gen::inRange(0, 3))});
    }
    const Followed followed(program, constraints, any_strategy(), *rc::gen::arbitrary<std::uint64_t>());
    RC_ASSERT(!followed.departed);
    RC_ASSERT(followed.steps == wanted);
  }));
}

TEST(FollowConstraints, the_fallback_chooses_among_those_that_are_not_held_back) {
  // 1 waits for the end of 0; 0, 2 and 3 take turns.
  const SimProgram program = readers(4, 2);
  EXPECT_EQ(
      order_of(
          Followed(program, {{counted_step("0", 0, 1), counted_step("0.0", 0, 0)}}, "round-robin").steps),
      "02301231");
}

TEST(FollowConstraints, occurrences_are_counted_by_thread) {
  const SimProgram program = {reads_at(7, 3), reads_at(7, 3)};
  // The second of thread 0 waits for the third of thread 0.0.
  const Followed followed(program, {{placed_step("@7", 3, "0.0"), placed_step("@7", 2, "0")}});
  EXPECT_EQ(order_of(followed.steps) + " " + followed.text(), "011100 none");
}

TEST(FollowConstraints, occurrences_without_a_thread_are_counted_for_all) {
  const SimProgram program = {reads_at(7, 3), reads_at(7, 1), reads_at(8, 1)};
  // Nobody is the third at 7 before 8 was read.
  EXPECT_EQ(order_of(Followed(program, {{placed_step("@8", 1), placed_step("@7", 3)}}).steps), "00201");
}

TEST(FollowConstraints, a_kind_narrows_a_place) {
  const SimThread both = {{.kind = Read, .place = 7}, {.kind = Write, .place = 7}};
  const Step write = with_kind(placed_step("@7", 1, "0"), EventKind::Write);
  EXPECT_EQ(order_of(Followed({both, SimThread(1)}, {{counted_step("0.0", 0, 0), write}}).steps), "010");
}

TEST(FollowConstraints, a_kind_is_found_in_the_operation_that_does_it) {
  const SimProgram program = {{{.kind = Lock, .object = 0}, {.kind = Unlock, .object = 0}}, SimThread(1)};
  const Step read = counted_step("0.0", 0, 0);
  const auto order = [&](EventKind kind, std::uint64_t syncs) {
    const Followed followed(program, {{read, with_kind(counted_step("0", syncs, 0), kind)}});
    return order_of(followed.steps) + " " + followed.text();
  };
  EXPECT_EQ(order(EventKind::Acquire, 0), "100 none");
  EXPECT_EQ(order(EventKind::Release, 1), "010 none");
  EXPECT_EQ(order(EventKind::Release, 0), "001 0 0 rel: lock") << "a step that is something else";
}

TEST(FollowConstraints, a_constraint_that_would_block_all_is_given_up) {
  // Inside the section of 0 there must be one of 0.0.
  const SimThread section = {{.kind = Lock, .object = 0}, {.kind = Write}, {.kind = Unlock, .object = 0}};
  const Followed followed({section, section}, {{counted_step("0", 0, 0), counted_step("0.0", 0, 0)},
                                               {counted_step("0.0", 1, 0), counted_step("0", 1, 0)}});
  EXPECT_TRUE(followed.all_ended);
  EXPECT_EQ(followed.text(), "1 0.0 go first: all that can run wait for it");
  EXPECT_EQ(followed.departure.constraint, 1u);
}

TEST(FollowConstraints, of_those_that_block_each_other_the_first_is_given_up) {
  const Step a = counted_step("0", 0, 0);
  const Step b = counted_step("0.0", 0, 0);
  const Step c = counted_step("0.1", 0, 0);
  const Followed followed(readers(3, 1), {{a, c}, {c, b}, {b, a}});
  EXPECT_EQ(followed.departure.constraint, 0u);
  EXPECT_EQ(order_of(followed.steps), "210") << "the others are kept";
}

TEST(FollowConstraints, a_step_that_never_comes_is_told_when_nobody_else_can_run) {
  const Followed followed(readers(2, 2), {{counted_step("0", 3, 0), counted_step("0.0", 0, 0)}});
  EXPECT_EQ(order_of(followed.steps), "0011");
  EXPECT_EQ(followed.text(), "2 0 go first: all that can run wait for it");
}

TEST(FollowConstraints, a_step_that_never_comes_is_told_at_the_end) {
  const Followed followed(readers(2, 2), {{counted_step("0.0", 0, 1), counted_step("0", 7, 0)},
                                          {counted_step("0", 3, 0), counted_step("0.0", 7, 0)}});
  EXPECT_EQ(followed.text(), "4 0 come: the program has ended");
  EXPECT_EQ(followed.departure.constraint, 1u);
}

TEST(FollowConstraints, places_must_be_code_addresses) {
  const SimProgram program = {reads_at(0x1f3a, 1), reads_at(0x1f40, 1)};
  const auto text = [&](std::string_view place) {
    return Followed(program, {{placed_step("@1f40", 1), placed_step(place, 1)}}).text();
  };
  EXPECT_EQ(text("@1f3a"), "none");
  EXPECT_EQ(text("@1,1f3a,2"), "none");
  EXPECT_EQ(text("@ffffffff"), "none");
  for (const char* bad : {"bank.cpp:21", "@", "@1f3a,", "@,1f3a", "@1F3A", "@1f3a 1f40", "1f3a", "@100001f3a",
                          "@0", "@@1f3a"}) {
    EXPECT_EQ(text(bad), "0  be found: its place is not known") << bad;
  }
}

TEST(FollowConstraints, the_first_departure_is_told) {
  const Followed followed(readers(2, 2), {{counted_step("0", 0, 0), placed_step("a.c:1", 1)},
                                          {counted_step("0", 3, 0), counted_step("0.0", 0, 0)}});
  EXPECT_EQ(followed.text(), "0  be found: its place is not known");
  EXPECT_EQ(followed.departure.constraint, 0u);
}

TEST(FollowConstraints, counts_are_used_before_places) {
  Step after = counted_step("0", 0, 1);
  after.place = "bank.cpp:21";
  const Followed followed(readers(2, 2), {{counted_step("0.0", 0, 1), after}});
  EXPECT_EQ(order_of(followed.steps) + followed.text(), "0110none");
}

// The runtime asks only at some operations: steps may go by between two points.
TEST(FollowConstraints, steps_may_go_by_between_two_points) {
  const auto choose = [](std::uint64_t before, std::uint64_t after) {
    const std::vector<Constraint> constraints = {
        {counted_step("0", 0, before), counted_step("0.0", 0, after)}};
    Schedule schedule;
    schedule.form = ScheduleForm::Constraints;
    schedule.constraints = constraints;
    MadeStrategy strategy(schedule);
    std::vector<Candidate> candidates(2);
    candidates[0].path.text = "0";
    candidates[0].ordinal = 5;
    candidates[1].path.text = "0.0";
    candidates[1].ordinal = 5;
    candidates[1].thread = 1;
    const std::size_t chosen = strategy->choose({0, candidates, 1});
    const Departure* departure = strategy->departure();
    return std::to_string(chosen) + (departure == nullptr ? "" : " " + std::string(departure->found));
  };
  EXPECT_EQ(choose(6, 5), "0") << "held back";
  EXPECT_EQ(choose(4, 5), "1") << "the first step has gone by";
  EXPECT_EQ(choose(6, 4), "1 went on, nothing could hold it there") << "the second has";
}

TEST(FollowConstraints, hold_back_even_without_memory_for_more_threads) {
  const std::vector<Constraint> constraints = {{counted_step("0.0", 0, 0), counted_step("0", 0, 0)}};
  Schedule schedule;
  schedule.form = ScheduleForm::Constraints;
  schedule.constraints = constraints;
  for (std::size_t size = 0;; ++size) {
    const auto memory = std::make_unique<std::byte[]>(size);
    Arena arena(std::span(memory.get(), size));
    Strategy* strategy = make_strategy(schedule, arena);
    if (strategy == nullptr) continue;
    const SimProgram program = readers(100, 1);
    EXPECT_EQ(order_of(Simulator(program).run(*strategy)).substr(0, 2), "10");
    break;
  }
}

}  // namespace
}  // namespace ravel
