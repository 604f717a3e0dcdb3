// syncp: sync-preserving races (Mathur, Pavlogiannis, Viswanathan 2021).
//
// Guarantee: for every pair it reports there is a correct reordering of the trace (witness/reordering.h) in
// which the two accesses are side by side, and in which sections of one lock that both occur have the order
// they had in the trace: `predicted`, each report by itself. It misses no pair of places that has such a
// reordering, in one life of the variable. Assumptions: all synchronization is in the trace, and all accesses
// but for repetitions without synchronization in between (FilterLevel::Segment; else `suspected`); the
// program does not look at addresses (witness/fresh_memory.h). With `access_order = hook` findings are
// `suspected` once the run has had a happens-before race (certain_order.h). Accesses that were reported late
// are not looked at, nor anything behind the first 2^31 events.
//
// Cost: a first pass finds the variables that may have a race (race_candidates.h); only of those accesses are
// remembered, at most one per place, locks held and stretch without synchronization. The second pass keeps
// the closure of every thread's past (trace_closure.h). A pair (e1, e2) is a race iff the closure of both
// threads' pasts lacks e1; if it has e1, so it has for all that e2's thread does later, so e1 is never tried
// again for that thread. Each try costs as little as sync_history.h says. What is remembered is bounded: when
// it takes more than about two gigabytes, the older half is dropped, and races with it are missed.
#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/certain_order.h"
#include "analysis/race_candidates.h"
#include "analysis/resolver.h"
#include "analysis/trace_closure.h"

namespace ravel {
namespace {

constexpr std::string_view kGuarantee =
    "a correct reordering that keeps the order of critical sections runs the two accesses side by side";

/// Accesses of one thread to one variable that differ only in when they happened.
struct Alike {
  struct Access {
    Mark mark;
    std::uint32_t size;  ///< of the line's history at the time
    StackId stack;
    std::uint32_t ordinal;
  };
  /// For the accesses of another line: nothing up to this mark is a race with one.
  struct Absorbed {
    LineId line;
    Mark mark;
  };
  struct Reported {
    PlaceId place;
    EventKind kind;
    friend bool operator==(const Reported&, const Reported&) = default;
  };
  /// What came of looking for races: most need none of it.
  struct Tried {
    std::vector<Absorbed> absorbed;
    std::vector<Reported> reported;
  };

  PlaceId place;
  LocksetId held;
  EventKind kind = EventKind::Read;
  std::vector<Access> accesses;  ///< in order
  std::unique_ptr<Tried> tried;

  bool is_reported(const Alike::Reported& pair) const {
    return tried && std::ranges::find(tried->reported, pair) != tried->reported.end();
  }
  Mark& absorbed_by(LineId other) {
    if (!tried) tried = std::make_unique<Tried>();
    const auto found = std::ranges::find(tried->absorbed, other, &Absorbed::line);
    return found != tried->absorbed.end() ? found->mark
                                          : tried->absorbed.emplace_back(Absorbed{other, 0}).mark;
  }
};

/// A thread's accesses to a variable.
struct OfThread {
  ThreadId thread;
  LineId line;
  Mark last = 0;  ///< the last of them
  std::vector<Alike> groups;

  Involved involved(const Alike& group, const Alike::Access& access) const {
    Involved result;
    result.position = position_of(access.mark);
    result.thread = thread;
    result.place = group.place;
    result.held = group.held;
    result.stack = access.stack;
    result.ordinal = access.ordinal;
    result.kind = group.kind;
    return result;
  }
};

/// A candidate's accesses.
using History = std::vector<OfThread>;

// What is remembered is bounded, in units of one access.
constexpr std::size_t kMostRemembered = std::size_t{1} << 26;
constexpr std::size_t kGroupCost = 8;

std::size_t cost(const History& history) {
  std::size_t total = 0;
  for (const OfThread& one : history)
    for (const Alike& group : one.groups) total += kGroupCost + group.accesses.size();
  return total;
}

History copy(const History& history) {
  History result;
  for (const OfThread& one : history) {
    OfThread& to = result.emplace_back(OfThread{one.thread, one.line, one.last, {}});
    for (const Alike& group : one.groups)
      to.groups.push_back({group.place, group.held, group.kind, group.accesses,
                           group.tried ? std::make_unique<Alike::Tried>(*group.tried) : nullptr});
  }
  return result;
}

class SyncPreserving final : public Analysis {
 public:
  Wants wants() const override { return {KindMask::all(), FilterLevel::Segment}; }

  void begin(const TraceContext& context, DetectionSink& sink) override {
    sink_ = &sink;
    locksets_ = &context.locksets;
    if (!second_pass_) {
      finder_.emplace(context.locksets);
      return;
    }
    finder_.reset();
    order_.start(context);
    closure_ = std::make_unique<TraceClosure>(context);
  }

  void consume(std::span<const Event> batch) override {
    if (!batch.empty() && batch.back().position > kLastPosition) return;
    if (!second_pass_) {
      for (const Event& event : batch)
        if (RaceCandidates::kKinds.has(event.kind)) finder_->consume(event);
      return;
    }
    order_.consume(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!is_access(batch[i].kind) && !kVariableLifetime.has(batch[i].kind)) {
        closure_->consume(batch[i]);
        continue;
      }
      const std::size_t parts = count_parts(batch, i);
      access(batch.subspan(i, parts));
      i += parts - 1;
    }
  }

  Finish finish() override {
    if (second_pass_) return Finish::Done;
    second_pass_ = true;
    candidates_ = finder_->take();
    return std::ranges::find(candidates_, true) == candidates_.end() ? Finish::Done : Finish::Again;
  }

 private:
  /// All that is about one position: an access, perhaps to several variables, and what became of them.
  void access(std::span<const Event> parts) {
    for (const Event& part : parts) {
      closure_->prepare(part);
      if (part.kind == EventKind::Split) split(part);
    }
    for (const Event& part : parts)
      if (is_access(part.kind) && !kRetroAccesses.has(part.kind)) check(part);
    for (const Event& part : parts) {
      if (part.kind == EventKind::Retire)
        retire(part);
      else if (is_access(part.kind) && !kRetroAccesses.has(part.kind))
        remember(part);
    }
    newest_ = mark_of(parts.front().position);
    closure_->perform(parts);
    // A block's own event ends what is about it.
    for (const Event& part : parts)
      if (!is_access(part.kind) && !kVariableLifetime.has(part.kind)) closure_->consume(part);
  }

  History* history(const Event& event) {
    if (event.variable().index() >= histories_of_.size())
      histories_of_.resize(std::max(event.variable().index() + 1, histories_of_.size() * 2));
    std::uint32_t& number = histories_of_[event.variable().index()];
    if (number == kUnknown) {
      const std::uint32_t life = lives_.of(event.variable());
      number = life < candidates_.size() && candidates_[life] ? new_history() : kNone;
    }
    return number == kNone ? nullptr : &histories_[number - kFirst];
  }

  std::uint32_t new_history() {
    if (free_.empty()) {
      histories_.emplace_back();
      return static_cast<std::uint32_t>(histories_.size() - 1) + kFirst;
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }

  void split(const Event& event) {
    // The whole's history is its part's, too: candidates of parts are candidates as wholes.
    const std::size_t most = std::max(event.variable().index(), event.split_from().index());
    if (most >= histories_of_.size()) histories_of_.resize(std::max(most + 1, histories_of_.size() * 2));
    drop(event.variable());
    if (!lives_.split(event)) return;
    const std::uint32_t life = lives_.of(event.variable());
    if (life >= candidates_.size() || !candidates_[life]) {
      histories_of_[event.variable().index()] = kNone;
      return;
    }
    const std::uint32_t part = new_history();
    const std::uint32_t whole = histories_of_[event.split_from().index()];
    if (whole >= kFirst) {
      histories_[part - kFirst] = copy(histories_[whole - kFirst]);
      remembered_ += cost(histories_[part - kFirst]);
    }
    histories_of_[event.variable().index()] = part;
  }

  void retire(const Event& event) {
    lives_.retire(event);
    if (event.variable().index() < histories_of_.size()) drop(event.variable());
  }

  void drop(VariableId variable) {
    const std::uint32_t number = std::exchange(histories_of_[variable.index()], kUnknown);
    if (number < kFirst) return;
    remembered_ -= cost(histories_[number - kFirst]);
    histories_[number - kFirst] = History();
    free_.push_back(number);
  }

  static bool may_race(EventKind a, EventKind b) {
    return (is_write(a) || is_write(b)) && !(is_atomic(a) && is_atomic(b));
  }

  /// Whether no two threads can hold these locks at the same time.
  bool exclude(LocksetId a, LocksetId b) {
    if (a == LocksetTable::kEmpty || b == LocksetTable::kEmpty || !a.valid() || !b.valid()) return false;
    const auto [memo, fresh] = excluding_.try_emplace(std::uint64_t{a.value} << 32 | b.value, false);
    if (fresh) {
      for (const HeldLock& mine : locksets_->locks(a))
        for (const HeldLock& other : locksets_->locks(b))
          memo->second |= mine.lock == other.lock && !(mine.shared && other.shared);
    }
    return memo->second;
  }

  void check(const Event& event) {
    History* const all = history(event);
    if (all == nullptr || all->empty()) return;
    SyncClosure& past = closure_->about_to(event);
    const Alike::Reported pair{event.place, event.kind};
    for (OfThread& other : *all) {
      if (other.thread == event.thread || other.last <= past.in(other.line)) continue;
      for (Alike& group : other.groups) {
        if (group.accesses.empty() || group.accesses.back().mark <= past.in(other.line)) continue;
        if (!may_race(group.kind, event.kind) || exclude(group.held, event.held())) continue;
        if (group.is_reported(pair)) continue;
        if (const Alike::Access* const first = partner(group, other.line, event, past)) {
          group.tried->reported.push_back(pair);
          report(other.involved(group, *first), event);
        }
      }
    }
  }

  /// The first access of the group that the event, about to happen, can be beside.
  const Alike::Access* partner(Alike& group, LineId line, const Event& event, SyncClosure& past) {
    Mark& absorbed = group.absorbed_by(closure_->line(event.thread));
    const auto behind = [&](Mark mark) {
      const auto found = std::ranges::upper_bound(group.accesses, mark, {}, &Alike::Access::mark);
      return found == group.accesses.end() ? nullptr : &*found;
    };
    const Alike::Access* first = behind(std::max(absorbed, past.in(line)));
    past.begin_trial();
    while (first != nullptr) {
      past.include({line, before(first->mark)});
      if (!past.has({line, first->mark})) break;
      absorbed = past.in(line);
      first = behind(absorbed);
    }
    past.undo_trial();
    return first;
  }

  void remember(const Event& event) {
    History* const all = history(event);
    if (all == nullptr) return;
    auto mine = std::ranges::find(*all, event.thread, &OfThread::thread);
    if (mine == all->end()) {
      all->push_back({event.thread, closure_->line(event.thread), 0, {}});
      mine = std::prev(all->end());
    }
    const auto is_alike = [&](const Alike& group) {
      return group.place == event.place && group.held == event.held() && group.kind == event.kind;
    };
    auto group = std::ranges::find_if(mine->groups, is_alike);
    if (group == mine->groups.end()) {
      mine->groups.push_back({event.place, event.held(), event.kind, {}, nullptr});
      group = std::prev(mine->groups.end());
      remembered_ += kGroupCost;
    }
    const Alike::Access access{mark_of(event.position),
                               static_cast<std::uint32_t>(closure_->history().size(mine->line)), event.stack,
                               event.ordinal};
    mine->last = access.mark;
    // Without synchronization in between, the later access is in a race if the earlier one is.
    if (!group->accesses.empty() && group->accesses.back().size == access.size) {
      group->accesses.back() = access;
      return;
    }
    group->accesses.push_back(access);
    if (++remembered_ > kMostRemembered) forget();
  }

  /// Drops the older half of what is remembered.
  void forget() {
    const Mark oldest = forgotten_ + (newest_ - forgotten_) / 2;
    forgotten_ = oldest;
    remembered_ = 0;
    for (History& all : histories_) {
      for (OfThread& one : all) {
        for (Alike& group : one.groups) {
          const auto kept = std::ranges::lower_bound(group.accesses, oldest, {}, &Alike::Access::mark);
          std::vector(kept, group.accesses.end()).swap(group.accesses);
        }
        std::erase_if(one.groups, [](const Alike& group) { return group.accesses.empty(); });
      }
      remembered_ += cost(all);
    }
  }

  void report(const Involved& first, const Event& second) {
    const bool certain = order_.holds_before(second.position);
    const std::array events = {first, Involved(second)};
    sink_->report({.kind = FindingKind::Race,
                   .verdict = certain ? Verdict::Predicted : Verdict::Suspected,
                   .analysis = "syncp",
                   .guarantee = certain ? kGuarantee : std::string_view(),
                   .variable = second.variable(),
                   .events = events});
  }

  // What histories_of_ may have beside the index of a history, which begins at kFirst.
  static constexpr std::uint32_t kUnknown = 0;
  static constexpr std::uint32_t kNone = 1;
  static constexpr std::uint32_t kFirst = 2;

  DetectionSink* sink_ = nullptr;
  LocksetTable* locksets_ = nullptr;
  bool second_pass_ = false;
  std::optional<RaceCandidates> finder_;
  std::vector<bool> candidates_;  ///< by life

  CertainOrder order_;
  std::unique_ptr<TraceClosure> closure_;
  VariableLives lives_;
  std::vector<std::uint32_t> histories_of_;  ///< by variable
  std::vector<History> histories_;
  std::vector<std::uint32_t> free_;
  std::size_t remembered_ = 0;  ///< the cost of all histories
  Mark newest_ = 0;             ///< the last access
  Mark forgotten_ = 0;          ///< accesses before are forgotten
  boost::unordered_flat_map<std::uint64_t, bool> excluding_;
};

const RegisterAnalysis kRegister({
    .name = "syncp",
    .summary = "races in other orders of the run that keep the order of critical sections",
    .explain =
        "Reports two accesses that a correct reordering of the recorded run has side by side: every thread\n"
        "does the first part of what it did, every read sees the write it saw, and of two sections of a "
        "lock\n"
        "that both occur the earlier one comes first. Each report stands by itself. Verdict: predicted;\n"
        "suspected if the recorder dropped more than repetitions (--filter=owner), or if the order of "
        "accesses\n"
        "in the trace is that of the recorder's hooks and the run had a race before. It misses races that "
        "need\n"
        "sections in another order; cp and the planner find some of those.",
    .by_default = false,
    .make = make<SyncPreserving>,
    .repeats = true,
});

}  // namespace
}  // namespace ravel
