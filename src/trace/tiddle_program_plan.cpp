#include "trace/tiddle_program_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "event/well_formed.h"
#include "trace/tiddle_program_waits.h"
#include "trace/tiddle_text.h"

namespace ravel {
namespace {

/// Builds a ProgramPlan in passes over the trace, one for each question.
class Planner {
 public:
  explicit Planner(const ProgramSource& source) : source_(source) {}

  Result<ProgramPlan> plan();

 private:
  std::unexpected<Error> fail_at(const Event& event, std::string message) const;
  Result<void> check_rules();
  Result<void> check_kinds() const;
  Result<void> find_threads();
  Result<void> find_objects();
  Result<void> check_overlaps() const;
  Result<void> measure_barriers();
  void choose_values();
  Result<void> deal_steps();

  const ProgramSource& source_;
  std::vector<Event> events_;
  ProgramPlan plan_;
  Identifiers identifiers_;
};

std::unexpected<Error> Planner::fail_at(const Event& event, std::string message) const {
  const auto& places = source_.tables.places;
  const Place place = event.place.index() < places.size() ? places[event.place.index()] : Place{};
  return fail(fmt::format("{} (event {})", message, event.position), place.file,
              place.file.empty() ? 0 : place.line);
}

Result<void> Planner::check_rules() {
  events_.assign(source_.events.begin(), source_.events.end());
  WellFormed rules;
  if (const auto broken = rules.filter(events_, false))
    return fail_at(broken->event,
                   fmt::format("thread {} {}", source_.tables.thread_name(broken->event.thread),
                               rule_text(broken->rule)));
  return {};
}

/// Whether the order is one that C++ allows for the operation.
bool is_legal(EventKind kind, MemoryOrder order) {
  if (kind == EventKind::AtomicLoad) return order != MemoryOrder::Release && order != MemoryOrder::AcqRel;
  if (kind == EventKind::AtomicStore)
    return order != MemoryOrder::Acquire && order != MemoryOrder::Consume && order != MemoryOrder::AcqRel;
  return true;
}

Result<void> Planner::check_kinds() const {
  for (const Event& event : events_) {
    if (target_space(event.kind) == TargetSpace::Range || kRetroAccesses.has(event.kind) ||
        kToldOrder.has(event.kind) || kVariableLifetime.has(event.kind))
      return fail_at(event, fmt::format("a program cannot repeat the operation {}", kind_name(event.kind)));
    if (is_atomic(event.kind) && !is_legal(event.kind, event.order))
      return fail_at(event, fmt::format("C++ has no {} with memory order {}", operation_text(event.kind),
                                        order_name(event.order)));
  }
  return {};
}

Result<void> Planner::find_threads() {
  std::vector<std::optional<ThreadId>> forkers, joiners;
  const auto see = [&](ThreadId thread) {
    if (thread.index() >= forkers.size()) {
      forkers.resize(thread.index() + 1);
      joiners.resize(thread.index() + 1);
    }
  };
  for (const Event& event : events_) {
    see(event.thread);
    if (target_space(event.kind) != TargetSpace::Thread) continue;
    see(event.other_thread());
    auto& known = (event.kind == EventKind::Fork ? forkers : joiners)[event.other_thread().index()];
    if (known) return fail_at(event, "the thread is forked or joined twice");
    known = event.thread;
  }
  plan_.threads.resize(forkers.size());
  for (std::size_t i = 0; i < forkers.size(); ++i) {
    ProgramThread& thread = plan_.threads[i];
    if (!forkers[i] && !plan_.main.valid()) plan_.main = ThreadId(i);
    const std::string name = source_.tables.thread_name(ThreadId(i));
    thread.function = identifiers_.take("thread_" + name, "");
    thread.forker = forkers[i];
    thread.joiner = joiners[i];
    if (ThreadId(i) == plan_.main) continue;
    thread.object = identifiers_.take("handle_" + name, "");
    const ThreadId starter = thread.forker.value_or(plan_.main), joiner = thread.joiner.value_or(plan_.main);
    if (starter != joiner) thread.started = identifiers_.take("started_" + name, "");
  }
  if (!plan_.main.valid() && !plan_.threads.empty())
    return fail("every thread of the trace is forked by another");
  for (const Event& event : events_)
    if (event.kind == EventKind::Join && event.other_thread() == plan_.main)
      return fail_at(event, "no thread can join the main thread of a program");
  return {};
}

Result<void> Planner::find_objects() {
  const Tables& tables = source_.tables;
  for (const Event& event : events_) {
    const TargetSpace space = target_space(event.kind);
    // An object gets its identifier when it is first seen.
    const auto object = [&](auto& all, std::string_view suffix) -> auto& {
      auto [entry, added] = all.try_emplace(event.target);
      if (added) entry->second.identifier = identifiers_.take(tables.name(space, event.target), suffix);
      return entry->second;
    };
    if (space == TargetSpace::Variable) {
      ProgramVariable& variable = object(plan_.variables, "_variable");
      (is_atomic(event.kind) ? variable.atomic : variable.plain) = true;
    } else if (space == TargetSpace::Lock) {
      object(plan_.locks, "_lock").shared |= event.kind == EventKind::AcquireShared;
    } else if (space == TargetSpace::Condition) {
      object(plan_.conditions, "_condition");
    } else if (space == TargetSpace::Barrier) {
      object(plan_.barriers, "_barrier");
    }
  }
  for (auto& [address, condition] : plan_.conditions)
    condition.own_mutex = identifiers_.take(condition.identifier + "_mutex", "");
  for (auto& [address, barrier] : plan_.barriers)
    barrier.token = identifiers_.take("at_" + barrier.identifier, "");
  return {};
}

/// A program has one variable for an address: accesses that overlap in part have no counterpart.
Result<void> Planner::check_overlaps() const {
  std::map<std::uint64_t, std::uint32_t> widths;
  for (const Event& event : events_) {
    if (!is_access(event.kind)) continue;
    const auto [entry, added] = widths.try_emplace(event.address(), event.width);
    const auto after = std::next(entry);
    const bool overlaps_next = after != widths.end() && after->first - event.address() < event.width;
    const bool overlaps_previous =
        entry != widths.begin() && event.address() - std::prev(entry)->first < std::prev(entry)->second;
    if (entry->second != event.width || overlaps_next || overlaps_previous)
      return fail_at(event, "a program cannot repeat accesses that overlap in part");
  }
  return {};
}

/// A barrier's size is how many threads arrive before the first one leaves; it is the same in every phase.
Result<void> Planner::measure_barriers() {
  struct Phase {
    std::uint64_t arrivals = 0;
    bool over = false;  ///< a thread has left it
  };
  struct State {
    std::vector<Phase> phases;
    std::map<ThreadId, std::pair<std::size_t, bool>>
        threads;  ///< phases entered, and whether it is in the last one
  };
  std::map<std::uint64_t, State> states;
  for (const Event& event : events_) {
    if (target_space(event.kind) != TargetSpace::Barrier) continue;
    State& state = states[event.target];
    auto& [entered, inside] = state.threads[event.thread];
    if (event.kind == EventKind::BarrierEnter) {
      if (inside) return fail_at(event, "a thread arrives twice at a barrier without leaving it");
      if (entered == state.phases.size()) state.phases.emplace_back();
      Phase& phase = state.phases[entered];
      if (phase.over) return fail_at(event, "a thread arrives at a barrier that others have left already");
      ++phase.arrivals;
      ++entered;
    } else {
      if (!inside) return fail_at(event, "a thread leaves a barrier at which it has not arrived");
      state.phases[entered - 1].over = true;
    }
    inside = event.kind == EventKind::BarrierEnter;
  }
  for (const auto& [address, state] : states) {
    ProgramBarrier& barrier = plan_.barriers[address];
    barrier.size = state.phases.front().arrivals;
    for (const Phase& phase : state.phases)
      if (phase.over ? phase.arrivals != barrier.size : phase.arrivals > barrier.size)
        return fail(fmt::format("barrier {} does not always wait for the same number of threads",
                                barrier.identifier));
  }
  return {};
}

/// A write without a value writes what the next read with a value expects, or else something no other write
/// does.
void Planner::choose_values() {
  std::map<std::uint64_t, std::uint64_t> expected;
  for (auto event = events_.rbegin(); event != events_.rend(); ++event) {
    if (!is_access(event->kind)) continue;
    if (!is_write(event->kind)) {
      if (event->has_value) expected[event->target] = event->value;
      continue;
    }
    const auto known = expected.find(event->target);
    if (!event->has_value) event->value = known != expected.end() ? known->second : event->position;
    if (known != expected.end()) expected.erase(known);
  }
}

Result<void> Planner::deal_steps() {
  ThreadNumbers numbers;
  TiddleLosses losses;
  for (const Event& event : events_) {
    auto text = tiddle_text(event, source_.tables, numbers, losses);
    if (!text) return std::unexpected(text.error());
    ProgramStep step;
    step.event = event;
    step.turn = plan_.turns++;
    step.text = std::move(*text);
    plan_.threads[event.thread.index()].steps.push_back(std::move(step));
  }
  return {};
}

Result<ProgramPlan> Planner::plan() {
  using Pass = Result<void> (Planner::*)();
  for (const Pass pass :
       {&Planner::check_rules, &Planner::find_threads, &Planner::find_objects, &Planner::measure_barriers}) {
    if (auto done = (this->*pass)(); !done) return std::unexpected(done.error());
    if (pass != &Planner::check_rules) continue;
    if (auto done = check_kinds(); !done) return std::unexpected(done.error());
    if (auto done = check_overlaps(); !done) return std::unexpected(done.error());
  }
  choose_values();
  if (auto done = deal_steps(); !done) return std::unexpected(done.error());
  const auto broken = plan_waits(events_, plan_);
  if (broken) return fail_at(broken->event, std::string(broken->message));
  return std::move(plan_);
}

}  // namespace

Result<ProgramPlan> plan_program(const ProgramSource& source) { return Planner(source).plan(); }

}  // namespace ravel
