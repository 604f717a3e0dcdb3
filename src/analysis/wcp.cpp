// wcp: races of the weak causally-precedes relation (Kini, Mathur, Viswanathan 2017), in one pass.
//
// Guarantee: as cp's, with the same exceptions. Verdict: `predicted`, or `suspected` where cp would say so.
// The relation orders less than causally-precedes, so more races are left: rule (a) leads from the release of
// the earlier section to the later clashing access, not to its acquire, and rule (b) from release to release.
// No edge ends in the past, so one pass is enough and a race is an edge at once.
//
// Sections of a lock, their marks and P are as in cp (SectionLog, ConflictTable, CausalClocks): what an
// access in a section or its release is ordered after is handed on by the release, so the mark may move then.
#include "analysis/wcp.h"

#include <algorithm>
#include <optional>
#include <ranges>

#include "analysis/causal_clocks.h"
#include "analysis/causal_races.h"
#include "analysis/clock_log.h"
#include "analysis/conflict_table.h"
#include "analysis/open_sections.h"
#include "analysis/recorder_times.h"
#include "analysis/resolver.h"
#include "analysis/section_log.h"

namespace ravel {
namespace {

class WeaklyCausallyPrecedes final : public Analysis, ConflictTable::Observer {
 public:
  WeaklyCausallyPrecedes() : WeaklyCausallyPrecedes(WcpOptions{}) {}
  explicit WeaklyCausallyPrecedes(const WcpOptions& options) : continues_(options.continuation) {}

  Wants wants() const override { return {kAccesses | CausalClocks::kKinds, FilterLevel::Owner}; }

  void begin(const TraceContext& context, DetectionSink& sink) override {
    races_.begin(context, sink);
    late_ = context.header.filter == FilterLevel::Owner;
    thinned_ = context.header.filter == FilterLevel::Segment;
  }

  void consume(std::span<const Event> batch) override {
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < batch.size();) {
      if (i + 2 * kAhead < batch.size() && is_access(batch[i + 2 * kAhead].kind))
        conflicts_.prefetch_index(batch[i + 2 * kAhead].variable());
      if (i + kAhead < batch.size() && is_access(batch[i + kAhead].kind)) {
        races_.prefetch(batch[i + kAhead].variable());
        conflicts_.prefetch(batch[i + kAhead].variable());
      }
      const Event& event = batch[i];
      std::size_t parts = 1;
      if (is_access(event.kind)) {
        parts = count_parts(batch, i);
        access(batch.subspan(i, parts));
      } else if (kVariableLifetime.has(event.kind)) {
        lifetime(event);
        races_.lifetime(event);
      } else if (CausalClocks::kKinds.has(event.kind)) {
        synchronize(event);
      }
      i += parts;
    }
  }

 private:
  void synchronize(const Event& event) {
    const ThreadId t = event.thread;
    clocks_.next(t);
    switch (event.kind) {
      case EventKind::Acquire:
      case EventKind::AcquireShared:
        races_.acquires(event, !open_.open(t).empty());
        clocks_.acquire(event);
        // No tag but the time is needed of a section.
        open_.acquire(event).tag = clocks_.thread(t).now;
        break;
      case EventKind::Release:
      case EventKind::ReleaseShared:
        release(event);
        break;
      case EventKind::Join:
        races_.joins(!open_.open(t).empty());
        clocks_.consume(event);
        break;
      case EventKind::Elapse:
        open_.tick(t, static_cast<Time>(event.value));
        recorder_.elapse(t, clocks_.thread(t).now, event.value);
        clocks_.consume(event);
        break;
      case EventKind::After: {
        const ThreadId other = event.other_thread();
        Event after = event;
        after.value = recorder_.end(other, static_cast<Time>(event.value), clocks_.thread(other).now);
        clocks_.consume(after);
        break;
      }
      default:
        clocks_.consume(event);
        if (event.kind == EventKind::Fork) note(event.other_thread());
        break;
    }
    if (kTimeSteps.has(event.kind)) step(t);
    note(t);
  }

  void release(const Event& event) {
    const ThreadId t = event.thread;
    bool nested = true;
    const OpenSections::Open closed = open_.release(event, nested);
    if (!nested) races_.released_out_of_order();
    if (closed.name.thread.valid()) {
      LockSections& lock = logs_[event.lock()];
      VectorClock& P = clocks_.thread(t).P;
      const VectorClock& H = clocks_.thread(t).H;
      const Epoch acquired(t, closed.tag);
      logs_.leave_out(lock);
      // Rule (b).
      if (closed.name.shared) {
        lock.exclusive.raise_reader(P, std::min<std::uint64_t>(lock.exclusive.covered(P), closed.before));
        lock.append_shared(t, acquired, H);
      } else {
        lock.exclusive.raise(P, lock.exclusive.covered(P));
        lock.raise_readers(P);
        lock.exclusive.append(acquired, H, clocks_.lock(event.lock()).H);
      }
      lock.trim();
      logs_.count(lock);
      logs_.bound();
    }
    clocks_.release(event);
  }

  void step(ThreadId thread) {
    open_.tick(thread);
    recorder_.step(thread, clocks_.thread(thread).now);
    clocks_.next(thread);
  }

  void note(ThreadId thread) {
    CausalClocks::ThreadState& self = clocks_.thread(thread);
    if (!self.rose) return;
    self.rose = false;
    if (!continues_) return;
    times_.note(thread, self.now, self.H);
    constexpr std::uint32_t kNow = 1024;  // and then, so that it keeps to its limit
    if (++notes_ % kNow == 0) times_.checkpoint();
  }

  // Rule (a): the section at hand contains an access that clashes with one in an earlier section.
  void exclusive(std::uint32_t end) override {
    VectorClock& P = clocks_.thread(section_->name.thread).P;
    SectionLog& sections = logs_[section_->name.lock].exclusive;
    if (section_->name.shared)
      sections.raise_reader(P, std::min(end, section_->before));
    else
      sections.raise(P, end);
  }
  void shared(ThreadId thread, std::uint32_t end) override {
    logs_[section_->name.lock].reader(thread).log.raise(clocks_.thread(section_->name.thread).P, end);
  }

  void access(std::span<const Event> parts) {
    const ThreadId t = parts.front().thread;
    if (kRetroAccesses.has(parts.front().kind)) {
      for (const Event& part : parts) late_access(part);
      return;
    }
    clocks_.next(t);
    for (const Event& part : parts) {
      if (part.kind == EventKind::Split) lifetime(part);
      if (!is_access(part.kind)) continue;
      if (is_atomic(part.kind)) clocks_.before_atomic(part);
      // The innermost lock is the one that most often protects the variable: the table finds its first lock
      // fastest.
      for (const OpenSections::Open& section : open_.open(t) | std::views::reverse) {
        section_ = &section;
        conflicts_.access(section.name, part.variable(), is_write(part.kind), *this);
      }
    }
    note(t);
    check(parts);
    for (const Event& part : parts) {
      if (is_atomic(part.kind)) clocks_.after_atomic(part);
      if (part.kind == EventKind::Write) clocks_.plain_write(part.variable());
      if (part.kind == EventKind::Retire) lifetime(part);
    }
    if (kTimeSteps.has(parts.front().kind)) step(t);
  }

  void late_access(const Event& event) {
    if (event.kind == EventKind::Split) {
      lifetime(event);
      races_.lifetime(event);
    }
    if (!is_access(event.kind)) return;
    late_ = true;
    const auto when = static_cast<Time>(event.value);
    const bool known = open_.for_each_at(event.thread, when, [&](const SectionName& section) {
      conflicts_.remember(section, event.variable(), event.kind == EventKind::RetroWrite);
    });
    if (!known) races_.loosen();
    races_.remember_late(
        event, {event.thread, recorder_.last(event.thread, when, clocks_.thread(event.thread).now)});
  }

  /// For all but the race check.
  void lifetime(const Event& event) {
    if (event.kind == EventKind::Split)
      conflicts_.split(event.split_from(), event.variable());
    else
      conflicts_.retire(event.variable());
    clocks_.consume(event);
  }

  void check(std::span<const Event> parts) {
    const ThreadId t = parts.front().thread;
    CausalClocks::ThreadState& self = clocks_.thread(t);
    // What the thread itself did before is ordered, though it may not causally precede.
    own_ = self.P[t];
    self.P.set(t, self.now);
    // A race may order the access after those it races with, too.
    for (const CausalRaces::First& first : races_.find(parts, self.P))
      if (!continues_ || !self.P.covers(first.when)) race_found(first, self, parts);
    races_.remember(parts, Epoch(t, self.now), self.P);
    self.P.set(t, own_);
  }

  void race_found(const CausalRaces::First& first, CausalClocks::ThreadState& self,
                  std::span<const Event> parts) {
    Epoch from = first.when;
    bool ordered = false;
    if ((late_ || thinned_) && continues_) {
      const auto [begin, end] =
          recorder_.around(from.thread(), from.time(), clocks_.thread(from.thread()).now);
      const bool knows_some = self.P[from.thread()] >= begin;
      if (late_) {
        // Where in its recorder's time the access was may be unknown. If it may be ordered, it counts as
        // ordered.
        ordered = knows_some;
        from = Epoch(from.thread(), end);
      } else if (knows_some) {
        races_.pass_over();  // a race with a repetition of what the thread knows, perhaps
      }
    }
    if (ordered)
      races_.pass_over();
    else
      races_.report(first, parts, !self.H.covers(first.when), continues_, std::nullopt);
    if (!continues_) return;
    const ThreadId t = parts.front().thread;
    const VectorClock source = times_.at(from);
    own_ = std::max(own_, source[t]);
    clocks_.edge(t, source);
    note(t);
  }

  bool late_ = false;     ///< accesses may be reported late
  bool thinned_ = false;  ///< repetitions are missing
  const bool continues_;

  OpenSections open_;
  ConflictTable conflicts_;
  const OpenSections::Open* section_ = nullptr;  ///< of the access at hand
  RecorderTimes recorder_;
  CausalClocks clocks_;
  SectionLogs logs_;
  ClockLog times_;
  std::uint32_t notes_ = 0;
  CausalRaces races_{"wcp"};
  Time own_ = 0;  ///< P's entry for the thread at hand, without program order
};

const RegisterAnalysis kRegister({
    .name = "wcp",
    .summary = "more of the races that cp looks for, in one pass (weak causally-precedes)",
    .explain =
        "As cp, with a relation that orders less: a section that clashes with an earlier one is ordered "
        "after "
        "it only from\n"
        "the clashing access on. Verdict: predicted, for the first race and, with each race taken for an "
        "order "
        "from then\n"
        "on, the next ones: some correct reordering of the run has the race or a deadlock. Suspected after a "
        "release out\n"
        "of nested order, after unordered atomic accesses to one variable, after a lock was only tried "
        "while\n"
        "another one was held, and after the first race if not all accesses were recorded in their exact "
        "order\n"
        "(--filter=none in a controlled run).",
    .by_default = false,
    .make = make<WeaklyCausallyPrecedes>,
});

}  // namespace

std::unique_ptr<Analysis> make_wcp(const WcpOptions& options) {
  return std::make_unique<WeaklyCausallyPrecedes>(options);
}

}  // namespace ravel
