#include "schedule/strategy.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

#include "schedule/random_numbers.h"
#include "unit/schedule/simulator.h"

namespace ravel {
namespace {

using enum OperationKind;

std::vector<Candidate> candidates_of(std::size_t count) {
  std::vector<Candidate> candidates(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    candidates[i].thread = i;
    candidates[i].next = Read;
  }
  return candidates;
}

TEST(MakeStrategy, knows_all_names_and_no_others) {
  std::set<std::string_view> names;
  for (const std::string_view* name = kStrategyNames; !name->empty(); ++name) {
    EXPECT_TRUE(MadeStrategy(schedule_with(*name))) << *name;
    names.insert(*name);
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"non-preemptive", "random", "round-robin"}));
  EXPECT_FALSE(MadeStrategy(schedule_with("rand")));
  EXPECT_FALSE(MadeStrategy(schedule_with("Random")));
}

TEST(MakeStrategy, an_empty_name_is_non_preemptive) {
  const SimProgram program = readers(3, 5);
  EXPECT_EQ(run(program, schedule_with("")), run(program, schedule_with("non-preemptive")));
}

TEST(MakeStrategy, out_of_memory_is_null) {
  const Decision decision[] = {{{"0"}, 1}};
  const Constraint constraint[] = {{counted_step("0", 1, 1), placed_step("@12,34", 1)}};
  Schedule decisions = schedule_with("random");
  decisions.decisions = decision;
  Schedule constraints = schedule_with("");
  constraints.form = ScheduleForm::Constraints;
  constraints.constraints = constraint;
  for (const Schedule& schedule : {schedule_with("round-robin"), decisions, constraints}) {
    for (std::size_t size = 0;; ++size) {
      ASSERT_LT(size, 4096u) << "never enough memory";
      const auto memory = std::make_unique<std::byte[]>(size);
      Arena arena(std::span(memory.get(), size));
      if (make_strategy(schedule, arena) != nullptr) break;
    }
  }
}

TEST(RandomNumbers, are_those_of_splitmix64) {
  RandomNumbers numbers(1234567);  // the values are those of the reference implementation
  EXPECT_EQ(numbers.next(), 6457827717110365317u);
  EXPECT_EQ(numbers.next(), 3203168211198807973u);
  EXPECT_EQ(numbers.next(), 9817491932198370423u);
}

TEST(RandomNumbers, stay_below_any_bound) {
  RandomNumbers numbers(1);
  for (const std::uint64_t bound : {1ul, 2ul, 3ul, (1ul << 63) + 1, UINT64_MAX}) {
    for (int i = 0; i < 100; ++i) EXPECT_LT(numbers.below(bound), bound);
  }
}

TEST(RandomStrategy, the_same_seed_is_the_same_run) {
  const SimProgram program = readers(4, 50);
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto steps = run(program, schedule_with("random", seed));
    EXPECT_EQ(steps, run(program, schedule_with("random", seed)));
    orders.insert(order_of(steps));
  }
  EXPECT_EQ(orders.size(), 20u) << "different seeds are different runs";
}

TEST(RandomStrategy, all_candidates_are_equally_likely) {
  for (const std::size_t count : {2u, 3u, 5u, 7u}) {
    MadeStrategy strategy(schedule_with("random", 42));
    const std::vector<Candidate> candidates = candidates_of(count);
    constexpr int kChoices = 100'000;
    std::vector<double> chosen(count);
    for (int i = 0; i < kChoices; ++i) chosen.at(strategy->choose({0, candidates, 0})) += 1;
    const double expected = static_cast<double>(kChoices) / static_cast<double>(count);
    double chi_square = 0;
    for (const double times : chosen) chi_square += (times - expected) * (times - expected) / expected;
    EXPECT_LT(chi_square, 22.5) << "6 degrees of freedom exceed this once in a thousand times";
  }
}

TEST(RandomStrategy, who_yields_or_sleeps_lets_each_of_the_others_run) {
  for (const OperationKind kind : {Yield, Sleep}) {
    MadeStrategy strategy(schedule_with("random", 1));
    std::vector<Candidate> candidates = candidates_of(4);
    candidates[2].next = kind;
    std::map<std::size_t, int> chosen;
    for (int i = 0; i < 3000; ++i) ++chosen[strategy->choose({0, candidates, 2})];
    EXPECT_EQ(chosen[2], 0);
    for (const std::size_t other : {0u, 1u, 3u}) EXPECT_NEAR(chosen[other], 1000, 150);
    EXPECT_EQ(strategy->choose({0, std::span(candidates).subspan(2, 1), 0}), 0u) << "but if it is alone";
  }
}

TEST(RandomStrategy, a_loop_that_waits_for_another_thread_ends) {
  const SimProgram program = {{{.kind = Read, .until = 1}}, {{.kind = Write, .sets = 1}}};
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    EXPECT_LT(run(program, schedule_with("random", seed)).size(), 60u);
}

TEST(RoundRobinStrategy, takes_one_after_the_other) {
  EXPECT_EQ(order_of(run(readers(3, 3), schedule_with("round-robin"))), "012012012");
  SimProgram program = readers(3, 3);
  program[1].resize(1);
  EXPECT_EQ(order_of(run(program, schedule_with("round-robin"))), "0120202");
}

TEST(RoundRobinStrategy, nobody_waits_longer_than_one_round) {
  const SimProgram program = readers(5, 40);
  const std::string order = order_of(run(program, schedule_with("round-robin")));
  ASSERT_EQ(order.size(), 200u);
  for (std::size_t i = 5; i < order.size(); ++i) EXPECT_EQ(order[i], order[i - 5]);
}

TEST(RoundRobinStrategy, goes_on_after_the_thread_that_ran_when_it_takes_over) {
  MadeStrategy strategy(schedule_with("round-robin"));
  EXPECT_EQ(strategy->choose({7, candidates_of(4), 2}), 3u);
}

TEST(NonPreemptiveStrategy, switches_only_when_a_thread_ends) {
  const auto steps = run(readers(4, 100), schedule_with("non-preemptive"));
  EXPECT_EQ(steps.size(), 400u);
  EXPECT_EQ(switches(steps), 3u);
}

TEST(NonPreemptiveStrategy, a_thread_that_blocks_is_followed_by_the_next) {
  const SimThread holds_while_asleep = {
      {.kind = Lock, .object = 0}, {.kind = Sleep, .time = 1}, {.kind = Unlock, .object = 0}};
  const SimThread wants_it = {{.kind = Lock, .object = 0}, {.kind = Unlock, .object = 0}};
  // 0 goes to sleep with the lock, 1 waits for it, 2 runs; then 0 wakes up.
  EXPECT_EQ(order_of(run({holds_while_asleep, wants_it, SimThread(2)}, schedule_with(""))), "02200011");
}

TEST(NonPreemptiveStrategy, who_yields_lets_the_next_run) {
  const SimThread yields = {{.kind = Read}, {.kind = Yield}, {.kind = Read}};
  EXPECT_EQ(order_of(run({yields, yields, SimThread(2)}, schedule_with(""))), "01220011");
}

TEST(NonPreemptiveStrategy, time_passes_only_when_nobody_else_can_run) {
  const auto sleeps = [](std::uint64_t time) {
    return SimThread{{.kind = Sleep, .time = time}, {.kind = Write}};
  };
  const SimProgram program = {sleeps(30), sleeps(10), sleeps(20), SimThread(3)};
  Simulator simulator(program);
  MadeStrategy strategy(schedule_with(""));
  // Three go to sleep, one works, and only then they wake up, by their deadlines.
  EXPECT_EQ(order_of(simulator.run(*strategy)), "012333112200");
  EXPECT_EQ(simulator.time(), 30u);
}

TEST(NonPreemptiveStrategy, a_loop_that_waits_for_another_thread_ends) {
  const SimProgram program = {{{.kind = Read, .until = 1}}, {{.kind = Write, .sets = 1}}};
  const auto steps = run(program, schedule_with(""));
  EXPECT_EQ(steps.size(), 10'002u);
  EXPECT_EQ(switches(steps), 2u);
}

TEST(NonPreemptiveStrategy, a_loop_around_a_lock_that_another_thread_needs_ends) {
  // It can run only at every second point of the one that loops.
  SimThread loop;
  for (int i = 0; i < 15'000; ++i) {
    loop.push_back({.kind = Lock, .object = 0});
    loop.push_back({.kind = Unlock, .object = 0});
  }
  const SimThread other = {{.kind = Lock, .object = 0}, {.kind = Unlock, .object = 0}};
  const auto steps = run({loop, other}, schedule_with(""));
  EXPECT_EQ(steps.at(20'000).thread, 1u);
}

TEST(NonPreemptiveStrategy, loops_that_wait_for_a_thread_that_sleeps_end) {
  for (const OperationKind kind : {Read, Yield}) {
    const SimThread waits = {{.kind = kind, .until = 1}};
    const SimProgram program = {{{.kind = Sleep, .time = 5}, {.kind = Write, .sets = 1}}, waits, waits};
    Simulator simulator(program);
    MadeStrategy strategy(schedule_with(""));
    const auto steps = simulator.run(*strategy);
    EXPECT_TRUE(simulator.all_ended());
    EXPECT_LT(steps.size(), 200'000u);
  }
}

TEST(Strategy, takes_the_first_if_nothing_else_is_said) {
  Strategy* strategy = nullptr;
  struct Plain final : Strategy {
  } plain;
  strategy = &plain;
  EXPECT_EQ(strategy->choose({0, candidates_of(3), 2}), 0u);
  EXPECT_EQ(strategy->departure(), nullptr);
}

}  // namespace
}  // namespace ravel
