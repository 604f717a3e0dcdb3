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
// threads' pasts lacks e1; if it has e1, so it has for all that e2's thread does later: e1 is absorbed, and
// never tried again for that thread. Mostly a lock tells without a try: e1 is in a section of it, and e2's
// thread needs a later one. The accesses of one thread are tried in their order, each on from the one before,
// and cost as little as sync_history.h says. What is remembered is bounded: when it takes more than about two
// gigabytes, the older half is dropped, and races with it are missed.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/certain_order.h"
#include "analysis/race_candidates.h"
#include "analysis/resolver.h"
#include "analysis/syncp_accesses.h"
#include "analysis/trace_closure.h"

namespace ravel {
namespace {

constexpr std::string_view kGuarantee =
    "a correct reordering that keeps the order of critical sections runs the two accesses side by side";

// What is remembered is bounded, in units of one access.
constexpr std::size_t kMostRemembered = std::size_t{1} << 26;

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

  SyncpAccesses* history(const Event& event) {
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
      histories_[part - kFirst] = SyncpAccesses(histories_[whole - kFirst]);
      remembered_ += histories_[part - kFirst].cost();
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
    remembered_ -= histories_[number - kFirst].cost();
    histories_[number - kFirst] = SyncpAccesses();
    free_.push_back(number);
  }

  static bool may_race(EventKind a, EventKind b) {
    return (is_write(a) || is_write(b)) && !(is_atomic(a) && is_atomic(b));
  }

  /// Whether no two threads can hold these locks at the same time.
  bool exclude(LocksetId a, LocksetId b) const {
    if (!a.valid() || !b.valid()) return false;
    const std::span<const HeldLock> others = locksets_->locks(b);
    auto other = others.begin();
    for (const HeldLock& mine : locksets_->locks(a)) {
      while (other != others.end() && other->lock < mine.lock) ++other;
      if (other == others.end()) return false;
      if (other->lock == mine.lock && !(mine.shared && other->shared)) return true;
    }
    return false;
  }

  void check(const Event& event) {
    SyncpAccesses* const all = history(event);
    if (all == nullptr || all->threads().empty()) return;
    SyncClosure& past = closure_->about_to(event);
    std::optional<std::size_t> self;
    for (std::size_t i = 0; i < all->threads().size(); ++i) {
      const Mark in = past.in(all->threads()[i].line);
      if (all->threads()[i].last <= in || all->threads()[i].thread == event.thread) continue;
      if (!self) self = all->add(event.thread, closure_->line(event.thread));
      AccessesOfThread& mine = all->threads()[*self];
      AccessesOfThread& other = all->threads()[i];
      const Mark known = std::max(in, mine.absorbed(i));
      if (other.last <= known) continue;
      const Mark absorbed = look(other, known, event, past);
      if (absorbed > known) remembered_ += mine.absorb(i, absorbed);
    }
  }

  /// The group's next access of which it takes more than a look to tell whether `past` absorbs it.
  const AlikeAccesses::Access* next(AlikeAccesses& group, LineId line, Mark known, LineId self,
                                    const SyncClosure& past) const {
    const std::size_t begin = group.behind(std::max(known, group.absorbed_by(self)));
    std::size_t i = begin;
    while (i < group.accesses.size() && ends_before(group, line, group.accesses[i].mark, past)) ++i;
    constexpr std::size_t kFew = 4;
    if (i - begin > kFew) group.absorb(self, group.accesses[i - 1].mark);
    return i < group.accesses.size() ? &group.accesses[i] : nullptr;
  }

  /// Whether the access is in a section that must have ended before one that `past` has.
  bool ends_before(AlikeAccesses& group, LineId line, Mark mark, const SyncClosure& past) const {
    if (!group.held.valid()) return false;
    if (group.section_of == mark && past.has_later_section(group.section)) return true;
    for (const HeldLock& held : locksets_->locks(group.held)) {
      const auto section = past.section_before_newest(line, mark, closure_->known_lock(held.lock));
      if (!section) continue;
      group.section_of = mark;
      group.section = *section;
      return true;
    }
    return false;
  }

  /// Reports the thread's races with the event, which is about to happen, among the accesses behind `known`:
  /// of each group the first. Returns up to where all of them are absorbed: what both threads need to come to
  /// their accesses has the first one. So it will be for whatever the event's thread does later.
  Mark look(AccessesOfThread& other, Mark known, const Event& event, SyncClosure& past) {
    const AlikeAccesses::Reported pair{event.place, event.kind};
    const LineId self = closure_->line(event.thread);
    const LineId line = other.line;
    Mark absorbed = other.last;
    const auto is_open = [&absorbed](Mark at) { absorbed = std::min(absorbed, before(at)); };
    tries_.clear();
    other.for_each_behind(known, [&](AlikeAccesses& group) {
      const AlikeAccesses::Access* const first = next(group, line, known, self, past);
      if (first == nullptr) return;
      if (may_race(group.kind, event.kind) && !group.is_reported(pair) && !exclude(group.held, event.held()))
        tries_.push_back({first->mark, &group, first, 0});
      else
        is_open(first->mark);
    });
    if (tries_.empty()) return absorbed;

    // In the order of the accesses, so that the closure only grows.
    const auto later = [](const Try& a, const Try& b) { return a.at > b.at; };
    std::ranges::make_heap(tries_, later);
    past.begin_trial();
    for (auto end = tries_.end(); end != tries_.begin();) {
      std::ranges::pop_heap(tries_.begin(), end, later);
      Try& one = *std::prev(end);
      past.include({line, before(one.at)});
      if (!past.has({line, one.at})) {
        is_open(one.at);
        --end;
        continue;
      }
      one.absorbed = past.in(line);
      const std::size_t behind = one.group->behind(one.absorbed);
      if (behind == one.group->accesses.size()) {
        one.access = nullptr;
        --end;
        continue;
      }
      one.access = &one.group->accesses[behind];
      one.at = one.access->mark;
      std::ranges::push_heap(tries_.begin(), end, later);
    }
    past.undo_trial();

    std::ranges::sort(tries_, {}, &Try::group);
    for (const Try& one : tries_) {
      if (one.absorbed > absorbed) one.group->absorb(self, one.absorbed);
      if (one.access == nullptr) continue;
      one.group->set_reported(pair);
      report(other.involved(*one.group, *one.access), event);
    }
    return absorbed;
  }

  void remember(const Event& event) {
    SyncpAccesses* const all = history(event);
    if (all == nullptr) return;
    const LineId line = closure_->line(event.thread);
    const std::size_t self = all->add(event.thread, line);
    remembered_ += all->threads()[self].add(event, closure_->history().size(line));
    if (remembered_ > kMostRemembered) forget();
  }

  /// Drops the older half of what is remembered.
  void forget() {
    const Mark oldest = forgotten_ + (newest_ - forgotten_) / 2;
    forgotten_ = oldest;
    remembered_ = 0;
    for (SyncpAccesses& all : histories_) {
      all.forget(oldest);
      remembered_ += all.cost();
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

  /// A group, and its access that is tried next.
  struct Try {
    Mark at;
    AlikeAccesses* group;
    const AlikeAccesses::Access* access;  ///< null: all are absorbed
    Mark absorbed;                        ///< 0: none
  };

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
  std::vector<SyncpAccesses> histories_;
  std::vector<std::uint32_t> free_;
  std::size_t remembered_ = 0;  ///< the cost of all histories
  Mark newest_ = 0;             ///< the last access
  Mark forgotten_ = 0;          ///< accesses before are forgotten
  std::vector<Try> tries_;
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
    .repeats = FilterLevel::All,
});

}  // namespace
}  // namespace ravel
