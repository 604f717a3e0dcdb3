// A witness as constraints on the order of counted steps.
#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "schedule/schedule.h"
#include "witness/witness.h"

namespace ravel {
namespace {

constexpr std::uint64_t kLeastSteps = 1'000'000;
constexpr std::uint64_t kStepsPerEvent = 100;
constexpr std::uint64_t kWord = 8;

/// An event with its step.
struct Point {
  const Event* event;
  Step step;  ///< not counted: the trace does not say which it is
  Step next;  ///< the thread's next event, if that is known
};

class Constraints {
 public:
  explicit Constraints(const Witness& witness) : witness_(witness) {}

  std::expected<std::string, std::string> json() {
    name_threads();
    collect_points();
    for (const Point& goal : goals_) {
      if (!can_be_held(goal.event->kind))
        return std::unexpected(fmt::format("no thread can be held before a {}", mnemonic(goal.event->kind)));
      if (!goal.step.counted())
        return std::unexpected("the trace does not count the steps of its threads from a known beginning");
    }
    for (std::size_t i = 0; i < points_.size(); ++i) order(i);
    const auto at_access = [](const Point& point) { return kPlainAccesses.has(point.event->kind); };
    if (std::ranges::any_of(goals_, at_access)) switch_at_ = SwitchAt::All;
    arrive_and_hold();
    return print();
  }

 private:
  /// By thread: the last point that must come before whatever it does next.
  using Known = std::map<ThreadId, std::size_t>;

  /// The first thread of the trace is main; who it started is named by the forks, in their order.
  void name_threads() {
    std::map<ThreadId, std::size_t> children;
    if (!witness_.trace.events.empty()) paths_.try_emplace(witness_.trace.events.front().thread, "0");
    for (const Event& event : witness_.trace.events) {
      if (event.kind != EventKind::Fork) continue;
      const auto parent = paths_.find(event.thread);
      if (parent == paths_.end()) continue;
      paths_.try_emplace(event.other_thread(),
                         fmt::format("{}.{}", parent->second, children[event.thread]++));
    }
  }

  void collect_points() {
    const std::set<std::uint64_t> goal(witness_.goal.events.begin(), witness_.goal.events.end());
    for (const std::uint64_t position : witness_.sequence)
      if (!goal.contains(position)) add(event(position), points_);
    for (const std::uint64_t position : witness_.goal.events) add(event(position), goals_);
    const std::set<std::uint64_t> ran(witness_.sequence.begin(), witness_.sequence.end());
    for (const Event& event : witness_.trace.events)
      if (!ran.contains(event.position) && !goal.contains(event.position)) add(event, beyond_);
  }

  const Event& event(std::uint64_t position) const {
    return witness_.trace.events[*witness_.trace.index_of(position)];
  }

  /// Events of one thread come in its order.
  void add(const Event& event, std::vector<Point>& to) {
    Thread& thread = threads_[event.thread];
    Step step;
    const auto path = paths_.find(event.thread);
    // Behind a wait the lock is taken again without a further hook.
    const bool wakes = event.kind == EventKind::Acquire && thread.waits;
    if (path != paths_.end() && (event.ordinal != 0 || wakes)) {
      step.thread.text = path->second;
      step.syncs = thread.syncs;
      step.ordinal = event.ordinal;
      step.kind = event.kind;
      step.has_kind = true;
    }
    if (thread.last_list != nullptr) (*thread.last_list)[thread.last].next = step;
    thread.last_list = &to;
    thread.last = to.size();
    to.push_back({&event, step, {}});
    if (kTimeSteps.has(event.kind)) ++thread.syncs;
    if (event.kind == EventKind::WaitBegin)
      thread.waits = true;
    else if (event.kind != EventKind::Release)
      thread.waits = false;
  }

  Known& known(ThreadId thread) {
    std::shared_ptr<Known>& mine = known_[thread];
    // Points that have it keep it as it is.
    if (mine == nullptr || mine.use_count() > 1) mine = std::make_shared<Known>(mine ? *mine : Known());
    return *mine;
  }
  static void learn(Known& mine, const Known& other) {
    for (const auto& [thread, index] : other) {
      std::size_t& at = mine[thread];
      at = std::max(at, index);
    }
  }

  /// A recorder that drops repetitions keeps only the first of several loads that saw the same: what comes
  /// after one comes after all that the thread did up to its next event.
  Step last_repetition(const Point& point) const {
    const bool repeats =
        witness_.trace.header.filter != FilterLevel::None && point.event->kind == EventKind::AtomicLoad;
    if (!repeats || !point.next.counted() || point.next.syncs != point.step.syncs ||
        point.next.ordinal <= point.step.ordinal + 1)
      return point.step;
    Step last = point.step;
    last.ordinal = point.next.ordinal - 1;
    last.has_kind = false;
    return last;
  }

  /// `before` must come before `after`, if nothing implies it yet.
  void constrain(std::size_t before, std::size_t after) {
    const Point& a = points_[before];
    const Point& b = points_[after];
    if (a.event->thread == b.event->thread || !a.step.counted() || !b.step.counted()) return;
    Known& mine = known(b.event->thread);
    const auto found = mine.find(a.event->thread);
    if (found != mine.end() && found->second >= before) return;
    constraints_.push_back({last_repetition(a), b.step});
    if (kPlainAccesses.has(a.event->kind) || kPlainAccesses.has(b.event->kind)) switch_at_ = SwitchAt::All;
    if (known_at_[before]) learn(mine, *known_at_[before]);
    mine[a.event->thread] = before;
  }

  /// After operations on the same lock, and clashing accesses, that come before it in the witness.
  void order(std::size_t i) {
    const Event& event = *points_[i].event;
    if (const auto forked = forked_.find(event.thread); forked != forked_.end()) {
      learn(known(event.thread), *forked->second);
      forked_.erase(forked);
    }
    if (is_acquire(event.kind) || is_release(event.kind)) {
      const auto last = last_on_lock_.find(event.target);
      if (last != last_on_lock_.end()) constrain(last->second, i);
      last_on_lock_[event.target] = i;
    }
    if (is_access(event.kind)) access(event, i);
    if (event.kind == EventKind::Fork) {
      Known all = known(event.thread);
      all[event.thread] = i;
      forked_[event.other_thread()] = std::make_shared<Known>(std::move(all));
    } else if (event.kind == EventKind::Join) {
      Known& mine = known(event.thread);
      if (const auto joined = known_.find(event.other_thread()); joined != known_.end() && joined->second)
        learn(mine, *joined->second);
      if (const auto last = last_of_.find(event.other_thread()); last != last_of_.end())
        mine[event.other_thread()] = last->second;
    }
    last_of_[event.thread] = i;
    known_at_.push_back(known_[event.thread]);
  }

  void access(const Event& event, std::size_t i) {
    for (std::uint64_t word = event.target / kWord; word * kWord < event.target + event.width; ++word) {
      Memory& memory = memory_[word];
      if (memory.write) constrain(*memory.write, i);
      if (is_write(event.kind)) {
        for (const auto& [thread, read] : memory.reads) constrain(read, i);
        memory = {i, {}};
      } else {
        memory.reads[event.thread] = i;
      }
    }
  }

  /// The threads of the goal come to where they shall be before any of them goes on; the two accesses of a
  /// race keep their order; and nobody else does more than the witness before they are through.
  void arrive_and_hold() {
    const auto is_point = [this](const Point& point) {
      return point.step.counted() && can_be_held(point.event->kind) &&
             (switch_at_ == SwitchAt::All || !kPlainAccesses.has(point.event->kind));
    };
    std::map<ThreadId, const Point*> arrived;
    for (const Point& point : points_)
      if (is_point(point)) arrived[point.event->thread] = &point;
    for (const Point& goal : goals_)
      for (const auto& [thread, last] : arrived)
        if (thread != goal.event->thread) constraints_.push_back({last->step, goal.step});
    if (witness_.goal.kind == WitnessGoal::Kind::Race)
      constraints_.push_back({goals_.front().step, goals_.back().step});
    std::set<ThreadId> held;
    for (const Point& point : beyond_) {
      if (!is_point(point) || !held.insert(point.event->thread).second) continue;
      for (const Point& goal : goals_)
        if (point.event->thread != goal.event->thread) constraints_.push_back({goal.step, point.step});
    }
  }

  std::string print() const {
    const TraceHeader& header = witness_.trace.header;
    const std::vector<std::string_view> command(header.command.begin(), header.command.end());
    const std::vector<std::string_view> environment(header.environment.begin(), header.environment.end());
    Schedule schedule;
    schedule.command = command;
    schedule.directory = header.directory;
    schedule.environment = environment;
    schedule.input_hash = header.input_hash;
    schedule.switch_at = switch_at_;
    schedule.step_limit = std::max(kLeastSteps, kStepsPerEvent * witness_.goal.last());
    schedule.outcome = witness_.goal.kind == WitnessGoal::Kind::Deadlock ? "deadlock" : "";
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
  struct Thread {
    std::uint64_t syncs = 0;                  ///< so far
    bool waits = false;                       ///< for a condition
    std::vector<Point>* last_list = nullptr;  ///< where its last event is, and at which index
    std::size_t last = 0;
  };

  const Witness& witness_;
  std::map<ThreadId, std::string> paths_;
  std::map<ThreadId, Thread> threads_;
  std::vector<Point> points_;  ///< what runs
  std::vector<Point> goals_;
  std::vector<Point> beyond_;  ///< what comes behind all that
  SwitchAt switch_at_ = SwitchAt::Sync;
  boost::unordered_flat_map<std::uint64_t, std::size_t> last_on_lock_;
  boost::unordered_flat_map<std::uint64_t, Memory> memory_;  ///< by word
  std::map<ThreadId, std::shared_ptr<Known>> known_;
  std::map<ThreadId, std::shared_ptr<Known>> forked_;  ///< what threads know that have not begun
  std::map<ThreadId, std::size_t> last_of_;            ///< the thread's last point
  std::vector<std::shared_ptr<Known>> known_at_;       ///< by point
  std::vector<Constraint> constraints_;
};

}  // namespace

bool can_be_held(EventKind kind) {
  switch (kind) {
    case EventKind::Read:
    case EventKind::Write:
    case EventKind::AtomicLoad:
    case EventKind::AtomicStore:
    case EventKind::AtomicRmw:
    case EventKind::Fence:
    case EventKind::Acquire:
    case EventKind::Release:
    case EventKind::AcquireShared:
    case EventKind::ReleaseShared:
    case EventKind::WaitBegin:
    case EventKind::Notify:
    case EventKind::NotifyAll:
    case EventKind::Fork:
    case EventKind::Join:
    case EventKind::BarrierEnter:
      return true;
    case EventKind::Request:  // the acquire that it announces is the same step
    case EventKind::WaitEnd:
    case EventKind::BarrierExit:
    case EventKind::UnitBegin:
    case EventKind::UnitEnd:
    case EventKind::Call:
    case EventKind::Return:
    case EventKind::Alloc:
    case EventKind::Free:
    case EventKind::ObjectBegin:
    case EventKind::ObjectEnd:
    case EventKind::RetroRead:
    case EventKind::RetroWrite:
    case EventKind::ThreadStart:
    case EventKind::ThreadExit:
    case EventKind::Block:
    case EventKind::Elapse:
    case EventKind::After:
    case EventKind::Split:
    case EventKind::Retire:
      return false;
  }
  return false;
}

std::expected<std::string, std::string> witness_schedule(const Witness& witness) {
  return Constraints(witness).json();
}

}  // namespace ravel
