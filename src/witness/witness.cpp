#include "witness/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <map>
#include <ranges>
#include <set>

#include "trace/tiddle.h"
#include "trace/tiddle_text.h"
#include "witness/fresh_memory.h"
#include "witness/reordering.h"

namespace ravel {
namespace {

/// A beginning of the trace up to here is taken as a whole.
constexpr std::uint64_t kMostWhole = 20'000;
/// What judges a witness must not be longer, nor all that is collected.
constexpr std::size_t kMostJudges = 500'000;
constexpr std::size_t kMostCollected = 4'000'000;
constexpr std::uint64_t kWord = 8;
/// How far behind the last event of a goal the next ones of its threads are looked for: to be held back.
constexpr std::uint64_t kLookBehind = 100'000;

/// Collects the events of one task.
class Slice {
 public:
  /// `collected` counts the events of all slices.
  Slice(WitnessTask task, WitnessJudge judge, std::size_t& collected)
      : task_(std::move(task)), judge_(judge), collected_(&collected), beyond_(task_.cut.size()) {}

  std::uint64_t last() const { return task_.goal.last(); }
  bool whole() const { return judge_ == WitnessJudge::Beginning && last() <= kMostWhole; }
  bool too_long() const { return too_long_; }

  void first_pass(const Event& event) {
    if (too_long_) return;
    const bool inside = runs(event);
    if (inside || is_goal(event)) {
      if (inside) ++count_;
      if (!whole()) note(event);
      return add(event);
    }
    if (whole() && (is_next(event) || event.position <= last())) add(event);
  }

  void end_first_pass() {
    std::ranges::sort(used_);
    const auto same = std::ranges::unique(used_);
    used_.erase(same.begin(), same.end());
  }

  /// What could show that the cut lacks something.
  void second_pass(const Event& event) {
    if (too_long_ || whole() || runs(event) || is_goal(event)) return;
    if (!is_next(event) && (event.position > last() || !judges(event))) return;
    add(event);
  }

  /// Once, when all is collected.
  WitnessAnswer finish(const TraceReader& trace) {
    if (too_long_) return std::unexpected(NoWitness{"it, or what it takes to check it, would be too long"});
    std::ranges::sort(events_, {}, &Event::position);
    Witness witness{task_.goal, {trace.header(), trace.tables(), std::move(events_)}, {}};
    for (const Event& event : witness.trace.events)
      if (runs(event)) witness.sequence.push_back(event.position);
    if (witness.goal.kind == WitnessGoal::Kind::Race)
      witness.sequence.insert(witness.sequence.end(), witness.goal.events.begin(), witness.goal.events.end());
    if (const auto wrong = check(witness))
      return std::unexpected(NoWitness{fmt::format("the check rejects it: {}", *wrong), true});
    return witness;
  }

 private:
  enum class Beyond : std::uint8_t { Nothing, Something, Enough };

  bool runs(const Event& event) const {
    return event.thread.index() < task_.cut.size() && event.position <= task_.cut[event.thread.index()];
  }
  bool is_goal(const Event& event) const {
    return std::ranges::find(task_.goal.events, event.position) != task_.goal.events.end();
  }

  void add(const Event& event) {
    events_.push_back(event);
    ++*collected_;
    too_long_ = count_ > kMostWitnessEvents || events_.size() > kMostJudges || *collected_ > kMostCollected;
    if (!too_long_) return;
    *collected_ -= events_.size();
    events_ = {};
    used_ = {};
    read_ = {};
    blocks_ = {};
  }

  /// What its thread would do next: up to where it can be held back. Asked once for each event that does not
  /// run.
  bool is_next(const Event& event) {
    if (event.thread.index() >= beyond_.size()) beyond_.resize(event.thread.index() + 1);
    Beyond& beyond = beyond_[event.thread.index()];
    const bool first = beyond == Beyond::Nothing;
    if (beyond == Beyond::Enough) return false;
    beyond = can_be_held(event.kind) ? Beyond::Enough : Beyond::Something;
    return first || beyond == Beyond::Enough || kTimeSteps.has(event.kind);
  }

  void note(const Event& event) {
    threads_.insert(event.thread);
    if (event.kind == EventKind::Join) threads_.insert(event.other_thread());
    const TargetSpace space = target_space(event.kind);
    if (space == TargetSpace::Barrier || space == TargetSpace::Condition) objects_.insert(event.target);
    if (space == TargetSpace::Lock) used_.push_back(event.target / kWord);
    if (is_block(event)) {
      std::uint64_t& end = blocks_[event.target];
      end = std::max(end, event.target + event.width);
    }
    if (!is_access(event.kind)) return;
    for (std::uint64_t word = event.target / kWord; word * kWord < event.target + event.width; ++word) {
      used_.push_back(word);
      if (reads(event.kind)) read_.insert(word);
    }
  }

  bool judges(const Event& event) const {
    switch (target_space(event.kind)) {
      case TargetSpace::Variable:
        if (!is_write(event.kind)) return false;
        for (std::uint64_t word = event.target / kWord; word * kWord < event.target + event.width; ++word)
          if (read_.contains(word)) return true;
        return false;
      case TargetSpace::Barrier:
      case TargetSpace::Condition:
        return objects_.contains(event.target);
      case TargetSpace::Thread:
        return event.kind == EventKind::Fork && threads_.contains(event.other_thread());
      case TargetSpace::Range: {
        if (!is_block(event)) return false;
        const std::uint64_t end = event.target + event.width;
        const auto word = std::ranges::lower_bound(used_, event.target / kWord);
        if (word != used_.end() && *word * kWord < end) return true;
        const auto behind = blocks_.lower_bound(end);
        return behind != blocks_.begin() && std::prev(behind)->second > event.target;
      }
      case TargetSpace::Lock:
      case TargetSpace::Unit:
      case TargetSpace::None:
        return false;
    }
    return false;
  }

  WitnessTask task_;
  WitnessJudge judge_;
  std::size_t* collected_;
  std::vector<Event> events_;
  std::size_t count_ = 0;
  bool too_long_ = false;
  std::vector<Beyond> beyond_;  ///< by thread: what there is of its events behind the cut
  std::set<ThreadId> threads_;
  std::set<std::uint64_t> objects_;
  std::vector<std::uint64_t> used_;  ///< words of memory, in order once the first pass is over
  boost::unordered_flat_set<std::uint64_t> read_;
  std::map<std::uint64_t, std::uint64_t> blocks_;  ///< begun or ended in the cut: first address and end
};

Result<void> read_until(TraceReader& trace, std::uint64_t last, const auto& use) {
  for (std::vector<Event> batch;;) {
    if (auto read = trace.next(batch); !read) return read;
    if (batch.empty() || batch.front().position > last + kLookBehind) return {};
    for (const Event& event : batch) use(event);
  }
}

}  // namespace

std::uint64_t WitnessGoal::last() const { return events.empty() ? 0 : std::ranges::max(events); }

std::optional<std::string> check(const Witness& witness) {
  const SmallTrace trace = with_fresh_memory(witness.trace);
  if (witness.goal.kind == WitnessGoal::Kind::Race) {
    const auto checked = check_race(trace, witness.sequence);
    if (!checked) return checked.error().text();
    const std::set<std::uint64_t> last(witness.sequence.end() - 2, witness.sequence.end());
    if (last != std::set<std::uint64_t>(witness.goal.events.begin(), witness.goal.events.end()))
      return "it ends with other events";
    return std::nullopt;
  }
  // Others may wait, too.
  std::set<ThreadId> threads;
  for (const std::uint64_t position : witness.goal.events)
    if (const auto index = trace.index_of(position)) threads.insert(trace.events[*index].thread);
  if (threads.size() != witness.goal.events.size()) return "it does not have its threads";
  const auto cycle = check_deadlock(trace, witness.sequence, DeadlockWaits::Locks, threads);
  if (!cycle) return cycle.error().text();
  return std::nullopt;
}

Result<void> build_witnesses(TraceReader& trace, std::vector<WitnessTask> tasks, const UseWitness& use,
                             WitnessJudge judge) {
  if (tasks.empty()) return {};
  std::vector<Slice> slices;
  slices.reserve(tasks.size());
  std::size_t collected = 0;
  for (WitnessTask& task : tasks) slices.emplace_back(std::move(task), judge, collected);
  std::uint64_t last = 0;
  for (const Slice& slice : slices) last = std::max(last, slice.last());
  if (auto rewound = trace.rewind(); !rewound) return rewound;
  // Most of many are too long at once.
  std::vector<Slice*> active;
  active.reserve(slices.size());
  for (Slice& slice : slices) active.push_back(&slice);
  const auto drop = [&active] {
    std::erase_if(active, [](const Slice* slice) { return slice->too_long(); });
  };
  auto first = read_until(trace, last, [&](const Event& event) {
    bool dropped = false;
    for (Slice* slice : active) {
      slice->first_pass(event);
      dropped |= slice->too_long();
    }
    if (dropped) drop();
  });
  if (!first) return first;
  last = 0;
  for (Slice& slice : slices) {
    slice.end_first_pass();
    if (!slice.whole() && !slice.too_long()) last = std::max(last, slice.last());
  }
  if (last > 0) {
    if (auto rewound = trace.rewind(); !rewound) return rewound;
    std::erase_if(active, [](const Slice* slice) { return slice->whole(); });
    auto second = read_until(trace, last, [&](const Event& event) {
      bool dropped = false;
      for (Slice* slice : active) {
        slice->second_pass(event);
        dropped |= slice->too_long();
      }
      if (dropped) drop();
    });
    if (!second) return second;
  }
  for (std::size_t i = 0; i < slices.size(); ++i)
    if (auto used = use(i, slices[i].finish(trace)); !used) return used;
  return {};
}

std::string witness_text(const Witness& witness, const std::string& comment) {
  std::string text;
  for (std::size_t at = 0; at < comment.size();) {
    const std::size_t end = std::min(comment.find('\n', at), comment.size());
    text += fmt::format("# {}\n", comment.substr(at, end - at));
    at = end + 1;
  }
  const SmallTrace whole = with_fresh_memory(witness.trace);
  SmallTrace trace{whole.header, whole.tables, {}};
  for (const std::uint64_t position : witness.sequence)
    trace.events.push_back(whole.events[*whole.index_of(position)]);
  if (witness.goal.kind == WitnessGoal::Kind::Deadlock) {
    for (const std::uint64_t position : witness.goal.events) {
      Event request = whole.events[*whole.index_of(position)];
      request.kind = EventKind::Request;
      // Perhaps its thread has announced it.
      const auto backwards = std::views::reverse(trace.events);
      const auto last = std::ranges::find(backwards, request.thread, &Event::thread);
      const bool announced = last != backwards.end() && last->kind == EventKind::Request;
      if (!announced) trace.events.push_back(request);
    }
  }
  return text + to_tiddle(trace);
}

}  // namespace ravel
