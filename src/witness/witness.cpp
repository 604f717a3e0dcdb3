#include "witness/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <set>

#include "trace/tiddle.h"
#include "trace/tiddle_text.h"
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
    if (!inside && !is_goal(event)) {
      if (!whole()) return;
      if (!is_first_beyond(event) && event.position > last()) return;
    }
    if (inside) {
      ++count_;
      if (!whole()) note(event);
    }
    add(event);
  }

  /// What could show that the cut lacks something.
  void second_pass(const Event& event) {
    if (too_long_ || whole() || runs(event) || is_goal(event)) return;
    if (!is_first_beyond(event) && (event.position > last() || !judges(event))) return;
    add(event);
  }

  std::expected<Witness, std::string> finish(const TraceReader& trace) {
    if (too_long_) return std::unexpected("it, or what it takes to check it, would be too long");
    std::ranges::sort(events_, {}, &Event::position);
    Witness witness{task_.goal, {trace.header(), trace.tables(), std::move(events_)}, {}};
    for (const Event& event : witness.trace.events)
      if (runs(event)) witness.sequence.push_back(event.position);
    if (witness.goal.kind == WitnessGoal::Kind::Race) {
      witness.sequence.insert(witness.sequence.end(), witness.goal.events.begin(), witness.goal.events.end());
      if (const auto checked = check_race(witness.trace, witness.sequence); !checked)
        return std::unexpected(fmt::format("the check rejects it: {}", checked.error().text()));
      return witness;
    }
    const auto cycle = check_deadlock(witness.trace, witness.sequence);
    if (!cycle) return std::unexpected(fmt::format("the check rejects it: {}", cycle.error().text()));
    std::set<ThreadId> threads;
    for (const std::uint64_t position : witness.goal.events)
      if (const auto index = witness.trace.index_of(position)) threads.insert(witness.trace.events[*index].thread);
    if (std::set<ThreadId>(cycle->begin(), cycle->end()) != threads)
      return std::unexpected("the check rejects it: other threads wait for each other");
    return witness;
  }

 private:
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
  }

  /// Asked once for each event that does not run.
  bool is_first_beyond(const Event& event) {
    if (event.thread.index() >= beyond_.size()) beyond_.resize(event.thread.index() + 1);
    const bool first = !beyond_[event.thread.index()];
    beyond_[event.thread.index()] = true;
    return first;
  }

  void note(const Event& event) {
    threads_.insert(event.thread);
    if (event.kind == EventKind::Join) threads_.insert(event.other_thread());
    const TargetSpace space = target_space(event.kind);
    if (space == TargetSpace::Barrier || space == TargetSpace::Condition) objects_.insert(event.target);
    if (space == TargetSpace::Lock) used_.insert(event.target / kWord);
    if (!is_access(event.kind)) return;
    for (std::uint64_t word = event.target / kWord; word * kWord < event.target + event.width; ++word) {
      used_.insert(word);
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
        const auto word = used_.lower_bound(event.target / kWord);
        return is_block(event) && word != used_.end() && *word * kWord < event.target + event.width;
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
  std::vector<bool> beyond_;  ///< by thread: an event behind the cut is there
  std::set<ThreadId> threads_;
  std::set<std::uint64_t> objects_;
  std::set<std::uint64_t> used_;  ///< words of memory
  boost::unordered_flat_set<std::uint64_t> read_;
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

Result<std::vector<std::expected<Witness, std::string>>> build_witnesses(TraceReader& trace,
                                                                         std::vector<WitnessTask> tasks,
                                                                         WitnessJudge judge) {
  std::vector<Slice> slices;
  std::size_t collected = 0;
  for (WitnessTask& task : tasks) slices.emplace_back(std::move(task), judge, collected);
  std::uint64_t last = 0;
  for (const Slice& slice : slices) last = std::max(last, slice.last());
  if (auto rewound = trace.rewind(); !rewound) return std::unexpected(rewound.error());
  const auto first = read_until(trace, last, [&](const Event& event) {
    for (Slice& slice : slices) slice.first_pass(event);
  });
  if (!first) return std::unexpected(first.error());
  last = 0;
  for (const Slice& slice : slices)
    if (!slice.whole() && !slice.too_long()) last = std::max(last, slice.last());
  if (last > 0) {
    if (auto rewound = trace.rewind(); !rewound) return std::unexpected(rewound.error());
    const auto second = read_until(trace, last, [&](const Event& event) {
      for (Slice& slice : slices) slice.second_pass(event);
    });
    if (!second) return std::unexpected(second.error());
  }
  std::vector<std::expected<Witness, std::string>> witnesses;
  for (Slice& slice : slices) witnesses.push_back(slice.finish(trace));
  return witnesses;
}

std::string witness_text(const Witness& witness, const std::string& comment) {
  std::string text;
  for (std::size_t at = 0; at < comment.size();) {
    const std::size_t end = std::min(comment.find('\n', at), comment.size());
    text += fmt::format("# {}\n", comment.substr(at, end - at));
    at = end + 1;
  }
  SmallTrace trace{witness.trace.header, witness.trace.tables, {}};
  for (const std::uint64_t position : witness.sequence)
    trace.events.push_back(witness.trace.events[*witness.trace.index_of(position)]);
  if (witness.goal.kind == WitnessGoal::Kind::Deadlock) {
    for (const std::uint64_t position : witness.goal.events) {
      Event request = witness.trace.events[*witness.trace.index_of(position)];
      request.kind = EventKind::Request;
      // Perhaps its thread has announced it.
      const auto last = std::find_if(trace.events.rbegin(), trace.events.rend(),
                                     [&](const Event& event) { return event.thread == request.thread; });
      const bool announced = last != trace.events.rend() && last->kind == EventKind::Request;
      if (!announced) trace.events.push_back(request);
    }
  }
  return text + to_tiddle(trace);
}

}  // namespace ravel
