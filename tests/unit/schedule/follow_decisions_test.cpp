#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "unit/schedule/random_programs.h"
#include "unit/schedule/simulator.h"

namespace ravel {
namespace {

using enum OperationKind;

constexpr std::string_view kPaths[] = {"0", "0.0", "0.1", "0.2", "0.3"};

/// What a run did, steps of the same thread and kind in one decision.
std::vector<Decision> decisions_of(const std::vector<SimStep>& steps) {
  std::vector<Decision> decisions;
  for (const SimStep& step : steps) {
    const Decision decision{{kPaths[step.thread]}, 1, step.kind, true};
    if (!decisions.empty() && decisions.back().thread == decision.thread &&
        decisions.back().kind == decision.kind) {
      ++decisions.back().steps;
    } else {
      decisions.push_back(decision);
    }
  }
  return decisions;
}

struct Followed {
  explicit Followed(const SimProgram& program, const std::vector<Decision>& decisions,
                    std::string_view fallback = "", std::uint64_t seed = 0) {
    Schedule schedule = schedule_with(fallback, seed);
    schedule.decisions = decisions;
    MadeStrategy strategy(schedule);
    steps = Simulator(program).run(*strategy);
    if (strategy->departure() == nullptr) return;
    departed = true;
    departure = *strategy->departure();
  }

  std::vector<SimStep> steps;
  bool departed = false;
  Departure departure;
};

TEST(FollowDecisions, does_again_what_a_run_did) {
  ASSERT_TRUE(rc::check("follow(record(run)) == run", [] {
    const SimProgram program = any_program();
    const auto steps = run(program, schedule_with(any_strategy(), *rc::gen::arbitrary<std::uint64_t>()));
    const Followed followed(program, decisions_of(steps), any_strategy());
    RC_ASSERT(!followed.departed);
    RC_ASSERT(followed.steps == steps);
  }));
}

TEST(FollowDecisions, the_fallback_goes_on_where_they_end) {
  const SimProgram program = readers(3, 3);
  EXPECT_EQ(order_of(Followed(program, {{{"0.1"}, 2}}).steps), "222000111");
  EXPECT_EQ(order_of(Followed(program, {{{"0.1"}, 2}, {{"0"}, 1}}, "round-robin").steps), "220120101");
  EXPECT_NE(order_of(Followed(program, {{{"0"}, 1}}, "random", 1).steps),
            order_of(Followed(program, {{{"0"}, 1}}, "random", 2).steps));
}

TEST(FollowDecisions, departs_at_the_first_step_that_is_something_else) {
  ASSERT_TRUE(rc::check("departure.step is where the recording was changed", [] {
    const SimProgram program = any_program();
    const auto steps = run(program, schedule_with("random", *rc::gen::arbitrary<std::uint64_t>()));
    std::vector<Decision> decisions;
    for (const SimStep& step : steps) decisions.push_back({{kPaths[step.thread]}, 1, step.kind, true});
    const auto changed = *rc::gen::inRange<std::size_t>(0, decisions.size());
    decisions[changed].kind = FutexWake;
    decisions.back().kind = FutexWait;  // of two changes, the first is told
    const Followed followed(program, decisions);
    RC_ASSERT(followed.departed);
    RC_ASSERT(followed.departure.step == changed);
    RC_ASSERT(followed.departure.thread.text == kPaths[steps[changed].thread]);
    RC_ASSERT(followed.departure.expected == (changed + 1 == steps.size() ? "futexwait" : "futexwake"));
    RC_ASSERT(followed.departure.found == operation_text(steps[changed].kind));
    RC_ASSERT(std::equal(steps.begin(), steps.begin() + changed, followed.steps.begin()));
  }));
}

TEST(FollowDecisions, says_why_a_thread_cannot_run) {
  const SimThread locks = {{.kind = Lock, .object = 0}, {.kind = Unlock, .object = 0}, {.kind = Exit}};
  const SimProgram program = {locks, locks, locks};
  const auto found = [&](const std::vector<Decision>& decisions) {
    const Followed followed(program, decisions);
    return std::to_string(followed.departure.step) + " " + std::string(followed.departure.thread.text) + " " +
           std::string(followed.departure.expected) + ": " + std::string(followed.departure.found);
  };
  const Decision lock{{"0"}, 1, Lock, true};
  const Decision unlock{{"0"}, 1, Unlock, true};
  const Decision exit{{"0"}, 1, Exit, true};
  EXPECT_EQ(found({lock, {{"0.7"}, 1, Lock, true}}), "1 0.7 lock: has not started");
  EXPECT_EQ(found({lock, unlock, exit, lock}), "3 0 lock: has ended");
  EXPECT_EQ(found({{{"0"}, 4}}), "3 0 run: waits or has ended");
  EXPECT_EQ(found({lock, unlock, unlock}), "2 0 unlock: exit");

  const SimProgram deadlock = {{{.kind = Lock, .object = 0}, {.kind = Lock, .object = 1}},
                               {{.kind = Lock, .object = 1}, {.kind = Exit}}};
  const Followed followed(deadlock, {lock, {{"0.0"}, 1, Lock, true}, lock});
  EXPECT_EQ(followed.departure.step, 2u);
  EXPECT_EQ(followed.departure.found, "waits");
}

TEST(FollowDecisions, a_run_that_ends_early_is_no_departure_by_itself) {
  EXPECT_FALSE(Followed(readers(1, 2), {{{"0"}, 5}}).departed);
}

}  // namespace
}  // namespace ravel
