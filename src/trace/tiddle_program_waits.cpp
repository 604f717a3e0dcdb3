#include "trace/tiddle_program_waits.h"

#include <algorithm>

namespace ravel {
namespace {

/// Every wake-up needs a notify after its wait: a notify lets one waiting thread go, a notify-all all of
/// them.
std::optional<BrokenWait> check_wakes(std::span<const Event> events) {
  struct State {
    std::uint64_t waiting = 0;  ///< threads that no notify has reached
    std::uint64_t notified = 0;
  };
  std::map<std::uint64_t, State> conditions;
  std::map<ThreadId, std::uint64_t> waits;  ///< condition on which a thread waits
  for (const Event& event : events) {
    State& state = conditions[event.target];
    const auto wait = waits.find(event.thread);
    if (event.kind == EventKind::WaitBegin) {
      if (wait != waits.end()) return BrokenWait{event, "the thread waits already"};
      waits[event.thread] = event.target;
      ++state.waiting;
    } else if (event.kind == EventKind::WaitEnd) {
      if (wait == waits.end() || wait->second != event.target)
        return BrokenWait{event, "a wake-up of a thread that does not wait"};
      if (state.notified == 0) return BrokenWait{event, "a wake-up without a notify before it"};
      --state.notified;
      waits.erase(wait);
    } else if (event.kind == EventKind::Notify && state.waiting > 0) {
      --state.waiting;
      ++state.notified;
    } else if (event.kind == EventKind::NotifyAll) {
      state.notified += state.waiting;
      state.waiting = 0;
    }
  }
  return std::nullopt;
}

/// One wait of a thread, by indexes into its steps.
struct Wait {
  std::vector<ProgramStep>* steps = nullptr;
  std::uint64_t condition = 0;
  std::size_t last_before = 0;         ///< the thread blocks after this step
  std::optional<std::size_t> release;  ///< next to the wait
  std::optional<std::size_t> acquire;  ///< next to the wake-up
};

bool is_at(const std::vector<ProgramStep>& steps, std::size_t index, EventKind kind) {
  return index < steps.size() && steps[index].event.kind == kind;
}

/// Finds the steps around the wait that begins at `begin`. The thread's own release may stand before it only
/// if no other thread acts in between (it would find the lock taken), and so may its acquire after the
/// wake-up.
std::optional<BrokenWait> find_wait(std::vector<ProgramStep>& steps, std::size_t begin, Wait& wait) {
  wait = {&steps, steps[begin].event.target, begin, std::nullopt, std::nullopt};
  const auto adjacent = [&](std::size_t i) { return steps[i].turn + 1 == steps[i + 1].turn; };
  if (is_at(steps, begin + 1, EventKind::Release)) {
    wait.release = wait.last_before = begin + 1;
  } else if (begin > 0 && is_at(steps, begin - 1, EventKind::Release) && adjacent(begin - 1)) {
    wait.release = begin - 1;
  }
  const std::size_t after = wait.last_before + 1;
  if (is_at(steps, after, EventKind::Acquire) && is_at(steps, after + 1, EventKind::WaitEnd)) {
    wait.acquire = after;
    return std::nullopt;
  }
  if (is_at(steps, after, EventKind::WaitEnd)) {
    if (is_at(steps, after + 1, EventKind::Acquire) && adjacent(after)) wait.acquire = after + 1;
    return std::nullopt;
  }
  if (is_at(steps, after, EventKind::Request) && is_at(steps, after + 1, EventKind::Acquire) &&
      is_at(steps, after + 2, EventKind::WaitEnd))
    return std::nullopt;
  if (after < steps.size()) return BrokenWait{steps[after].event, "the thread acts while it waits"};
  return std::nullopt;
}

}  // namespace

std::optional<BrokenWait> plan_waits(std::span<const Event> events, ProgramPlan& plan) {
  if (auto broken = check_wakes(events)) return broken;
  std::map<std::uint64_t, std::vector<Wait>> waits;  // by condition
  for (ProgramThread& thread : plan.threads) {
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
      if (thread.steps[i].event.kind != EventKind::WaitBegin) continue;
      Wait wait;
      if (auto broken = find_wait(thread.steps, i, wait)) return broken;
      thread.steps[wait.last_before].waits_after = true;
      waits[wait.condition].push_back(wait);
    }
  }
  // All waits on a condition must use one mutex: the lock of the trace if it is the same one in all of them.
  for (auto& [condition, all] : waits) {
    std::optional<std::uint64_t> lock;
    const auto has_lock = [&](const Wait& wait) {
      if (!wait.release || !wait.acquire) return false;
      const std::uint64_t released = (*wait.steps)[*wait.release].event.target;
      if (!lock) lock = released;
      return *lock == released && *lock == (*wait.steps)[*wait.acquire].event.target &&
             !plan.locks[*lock].shared;
    };
    if (!std::ranges::all_of(all, has_lock)) continue;
    plan.conditions[condition].lock = lock;
    for (const Wait& wait : all)
      (*wait.steps)[*wait.release].within_wait = (*wait.steps)[*wait.acquire].within_wait = true;
  }
  return std::nullopt;
}

}  // namespace ravel
