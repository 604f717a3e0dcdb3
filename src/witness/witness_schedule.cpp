// A witness as constraints on the order of counted steps.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "schedule/schedule.h"
#include "witness/witness.h"

namespace ravel {
namespace {

constexpr std::uint64_t kLeastSteps = 1'000'000;

/// An event with its step; several run of the same thread in ascending order.
struct Point {
  const Event* event;
  Step step;  ///< not counted: the trace does not say which it is
};

class Constraints {
 public:
  explicit Constraints(const Witness& witness) : witness_(witness) {}

  std::expected<std::string, std::string> json(const std::string& outcome) {
    name_threads();
    if (auto ready = collect_points(); !ready) return std::unexpected(ready.error());
    for (std::size_t i = 0; i < points_.size(); ++i) order(i);
    arrive_and_hold();
    return print(outcome);
  }

 private:
  /// The first thread of the trace is main; who it started is named by the forks, in their order.
  void name_threads() {
    std::map<ThreadId, std::size_t> children;
    if (!witness_.trace.events.empty()) paths_.try_emplace(witness_.trace.events.front().thread, 1, '0');
    for (const Event& event : witness_.trace.events) {
      if (event.kind != EventKind::Fork) continue;
      const auto parent = paths_.find(event.thread);
      if (parent == paths_.end()) continue;
      const std::string path = fmt::format("{}.{}", parent->second, children[event.thread]++);
      paths_.try_emplace(event.other_thread(), path);
    }
  }

  std::optional<Step> step(const Event& event) {
    const auto path = paths_.find(event.thread);
    if (path == paths_.end()) return std::nullopt;
    Step step;
    step.thread.text = path->second;
    step.syncs = syncs_[event.thread];
    step.kind = event.kind;
    step.has_kind = true;
    if (event.ordinal != 0) step.ordinal = event.ordinal;
    return step;
  }

  std::expected<void, std::string> collect_points() {
    const std::set<std::uint64_t> goal(witness_.goal.events.begin(), witness_.goal.events.end());
    for (const std::uint64_t position : witness_.sequence)
      if (!goal.contains(position)) add(event(position), points_);
    for (const std::uint64_t position : witness_.goal.events) add(event(position), goals_);
    for (const Point& point : goals_)
      if (!point.step.counted())
        return std::unexpected("the trace does not count the steps of its threads from a known beginning");
    std::set<ThreadId> seen;
    const std::set<std::uint64_t> ran(witness_.sequence.begin(), witness_.sequence.end());
    for (const Event& event : witness_.trace.events)
      if (!ran.contains(event.position) && !goal.contains(event.position) && seen.insert(event.thread).second)
        add(event, beyond_);
    return {};
  }

  const Event& event(std::uint64_t position) const {
    return witness_.trace.events[*witness_.trace.index_of(position)];
  }

  void add(const Event& event, std::vector<Point>& to) {
    const auto named = step(event);
    to.push_back({&event, named.value_or(Step{})});
    if (kTimeSteps.has(event.kind)) ++syncs_[event.thread];
  }

  /// `before` must come before `after`, if nothing implies it yet.
  void constrain(std::size_t before, std::size_t after) {
    const Point& a = points_[before];
    const Point& b = points_[after];
    if (a.event->thread == b.event->thread) return;
    std::map<ThreadId, std::size_t>& known = known_[b.event->thread];
    const auto found = known.find(a.event->thread);
    if (found != known.end() && found->second >= before) return;
    if (!a.step.counted() || !b.step.counted()) return;
    constraints_.push_back({a.step, b.step});
    // What the one knew then, the other knows now.
    for (const auto& [thread, index] : known_at_[before]) {
      std::size_t& mine = known[thread];
      mine = std::max(mine, index);
    }
    known[a.event->thread] = before;
  }

  /// After operations on the same lock, and clashing accesses, that come before it in the witness.
  void order(std::size_t i) {
    const Event& event = *points_[i].event;
    if (target_space(event.kind) == TargetSpace::Lock && event.kind != EventKind::Request) {
      const auto last = last_on_lock_.find(event.target);
      if (last != last_on_lock_.end()) constrain(last->second, i);
      last_on_lock_[event.target] = i;
    }
    if (is_access(event.kind)) {
      for (std::uint64_t byte = event.target; byte < event.target + event.width; ++byte) {
        Memory& memory = memory_[byte];
        if (memory.write) constrain(*memory.write, i);
        if (is_write(event.kind)) {
          for (const auto& [thread, read] : memory.reads) constrain(read, i);
          memory = {i, {}};
        } else {
          memory.reads[event.thread] = i;
        }
      }
    }
    known_at_.push_back(known_[event.thread]);
  }

  /// The threads of the goal come to where they shall be before any of them goes on; the two accesses of a
  /// race keep their order; and nobody else does more than the witness before they are through.
  void arrive_and_hold() {
    std::map<ThreadId, const Point*> arrived;
    for (const Point& point : points_)
      if (point.step.counted()) arrived[point.event->thread] = &point;
    for (const Point& goal : goals_)
      for (const auto& [thread, last] : arrived)
        if (thread != goal.event->thread) constraints_.push_back({last->step, goal.step});
    if (witness_.goal.kind == WitnessGoal::Kind::Race)
      constraints_.push_back({goals_.front().step, goals_.back().step});
    for (const Point& held : beyond_)
      for (const Point& goal : goals_)
        if (held.step.counted() && held.event->thread != goal.event->thread)
          constraints_.push_back({goal.step, held.step});
  }

  std::string print(const std::string& outcome) const {
    const TraceHeader& header = witness_.trace.header;
    const std::vector<std::string_view> command(header.command.begin(), header.command.end());
    const std::vector<std::string_view> environment(header.environment.begin(), header.environment.end());
    Schedule schedule;
    schedule.command = command;
    schedule.directory = header.directory;
    schedule.environment = environment;
    schedule.input_hash = header.input_hash;
    const bool accesses = std::ranges::any_of(constraints_, [](const Constraint& one) {
      return is_access(one.before.kind) || is_access(one.after.kind);
    });
    schedule.switch_at = accesses ? SwitchAt::All : SwitchAt::Sync;
    schedule.step_limit = std::max<std::uint64_t>(kLeastSteps, 100 * witness_.goal.last());
    schedule.outcome = outcome;
    schedule.form = ScheduleForm::Constraints;
    schedule.constraints = constraints_;
    std::string text;
    print_schedule(
        schedule,
        [](void* to, std::string_view piece) {
          static_cast<std::string*>(to)->append(piece);
          return true;
        },
        &text);
    return text;
  }

  struct Memory {
    std::optional<std::size_t> write;  ///< the last one
    std::map<ThreadId, std::size_t> reads;
  };

  const Witness& witness_;
  std::map<ThreadId, std::string> paths_;
  std::map<ThreadId, std::uint64_t> syncs_;  ///< so far
  std::vector<Point> points_;                ///< what runs
  std::vector<Point> goals_;
  std::vector<Point> beyond_;                ///< each thread's first event behind all that
  std::map<std::uint64_t, std::size_t> last_on_lock_;
  std::map<std::uint64_t, Memory> memory_;
  std::map<ThreadId, std::map<ThreadId, std::size_t>> known_;     ///< the last points before the thread's last
  std::vector<std::map<ThreadId, std::size_t>> known_at_;         ///< by point
  std::vector<Constraint> constraints_;
};

}  // namespace

std::expected<std::string, std::string> witness_schedule(const Witness& witness, const std::string& outcome) {
  return Constraints(witness).json(outcome);
}

}  // namespace ravel
