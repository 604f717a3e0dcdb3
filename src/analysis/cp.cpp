// cp: races of the causally-precedes relation (Smaragdakis et al. 2012; Sadowski 2012, ch. 11, Definition 5),
// exactly, with vector clocks.
//
// Guarantee: if locks are released in nested order, a correct reordering of the trace has the first race that
// causally-precedes leaves (smallest second event, then latest first event), or a deadlock, where waiting in
// a join counts. It then becomes an edge of happens-before and of causally-precedes, and the first race that
// is left is as good; and so on. Verdict: `predicted`. It is `suspected` from the first release out of nested
// order on, after two atomic accesses to one variable that nothing orders though one writes (a reordering
// must keep what they read, and the relation does not know), when the locks of an access that was reported
// late are unknown, after a lock was only tried where a thread that waits for it could be part of a deadlock,
// and after the first race if the order of accesses is that of hooks, or the recorder dropped some: the edges
// of races are then not the right ones. Assumption: all synchronization of the program is in the trace.
//
// By rule (c), a causally precedes b iff a base edge leads from an r that a happens before (or is) to a q
// that happens before (or is) b. So what causally precedes an event is a vector clock, too: P(b), the join of
// H(r) over such edges (CausalClocks). Base edges between sections of a lock come from rule (a), clashing
// accesses (ConflictTable), and rule (b), acq(k) <CP rel(h); of those into a section h only that from the
// latest section counts (SectionLog): latest(h).
//
// Such an edge ends at the acquire of h, in the past, and may order other sections by rule (b) that have
// ended since. So events are kept in a window; when no section is open whose latest() can still rise, nothing
// in the window can change any more, and it is passed over until no latest() rises (one pass is enough unless
// sections nest), and checked for races. A race costs more passes, over its window only. They may cost four
// times what the trace does; what is found after that is `suspected`, and there are no edges from races any
// more. A window that grows too long ends anyway: its open sections are then ordered after all earlier ones
// of their locks, as if they clashed, which can hide races but not make up one.
#include "analysis/cp.h"

#include <algorithm>
#include <ranges>

#include "analysis/causal_clocks.h"
#include "analysis/causal_races.h"
#include "analysis/clock_log.h"
#include "analysis/conflict_table.h"
#include "analysis/open_sections.h"
#include "analysis/recorder_times.h"
#include "analysis/resolver.h"
#include "analysis/retired_variables.h"
#include "analysis/section_log.h"

namespace ravel {
namespace {

class CausallyPrecedes final : public Analysis, ConflictTable::Observer {
 public:
  CausallyPrecedes() : CausallyPrecedes(CpOptions{}) {}
  explicit CausallyPrecedes(const CpOptions& options) : options_(options) {}

  Wants wants() const override { return {kAccesses | CausalClocks::kKinds, FilterLevel::Owner}; }

  void begin(const TraceContext& context, DetectionSink& sink) override {
    races_.begin(context, sink);
    variables_ = &context.variables;
    late_ = context.header.filter == FilterLevel::Owner;
    thinned_ = context.header.filter == FilterLevel::Segment;
    begin_window();
  }

  void consume(std::span<const Event> batch) override {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      constexpr std::size_t kAhead = 16;
      if (i + 2 * kAhead < batch.size() && is_access(batch[i + 2 * kAhead].kind)) {
        races_.prefetch(batch[i + 2 * kAhead].variable());
        conflicts_.prefetch_index(batch[i + 2 * kAhead].variable());
      }
      if (i + kAhead < batch.size() && is_access(batch[i + kAhead].kind)) {
        races_.prefetch_lists(batch[i + kAhead].variable());
        conflicts_.prefetch(batch[i + kAhead].variable());
        if (kRetroAccesses.has(batch[i + kAhead].kind)) prefetch_late(batch[i + kAhead]);
      }
      if (!kWanted.has(batch[i].kind)) continue;
      window_.push_back(batch[i]);
      arrive(window_.back());
      // Not within an access to several variables.
      if (i + 1 < batch.size() && batch[i + 1].position == batch[i].position) continue;
      if (kRetroAccesses.has(batch[i].kind) && window_.front().position == batch[i].position) pass_early();
      if (unsettled_ == 0 ? window_size() >= options_.min_window : window_is_full()) end_window();
    }
  }

  Finish finish() override {
    at_end_ = true;
    end_window();
    return Finish::Done;
  }

 private:
  static constexpr KindMask kWanted = kAccesses | CausalClocks::kKinds;
  static constexpr std::uint64_t kAll = SectionLog::kAll;

  /// A section of the window. Those that were open before the window have no unknowns left.
  struct Section {
    SectionName name;
    std::uint64_t before = 0;  ///< exclusive sections of the lock before it
    std::uint64_t latest = 0;  ///< latest(h): the exclusive sections before this number come before it
    std::vector<std::pair<ThreadId, std::uint64_t>> latest_shared;  ///< the same for readers, by thread
    bool settled = false;                                           ///< latest() cannot rise
    // In a pass:
    Epoch acquired;         ///< when
    std::size_t index = 0;  ///< of the acquire in the window
  };
  struct RaceEdge {
    std::size_t index = 0;  ///< of the second event in the window
    Epoch first;            ///< when the first one was
  };
  /// Where a pass found a race: the latest access that the event at `index` races with.
  struct Stop {
    std::size_t index = 0;
    CausalRaces::First first;
    bool also_hb = false;  ///< happens-before does not order them either
    Time now = 0;          ///< of the first one's thread
    Time known = 0;        ///< P's entry for that thread
  };

  [[gnu::always_inline]] void prefetch_late(const Event& event) {
    open_.prefetch_at(event.thread, static_cast<Time>(event.value));
    recorder_.prefetch(event.thread, static_cast<Time>(event.value));
  }

  // As events come: what does not depend on P.

  void arrive(Event& event) {
    const bool next = event.position != arrived_;
    arrived_ = event.position;
    if (next && !kRetroAccesses.has(event.kind)) ++time(event.thread);
    switch (event.kind) {
      case EventKind::Acquire:
      case EventKind::AcquireShared:
        acquire(event);
        break;
      case EventKind::Release:
      case EventKind::ReleaseShared:
        release(event);
        break;
      case EventKind::Join:
        races_.joins(!open_.open(event.thread).empty());
        break;
      case EventKind::RetroRead:
      case EventKind::RetroWrite: {
        late_ = true;
        const bool known =
            open_.for_each_at(event.thread, static_cast<Time>(event.value), [&](const SectionName& section) {
              conflicts_.remember(section, event.variable(), event.kind == EventKind::RetroWrite);
            });
        if (!known) races_.loosen();
        return;
      }
      case EventKind::Elapse:
        open_.tick(event.thread, static_cast<Time>(event.value));
        recorder_.elapse(event.thread, time(event.thread), event.value);
        time(event.thread) += static_cast<Time>(RecorderTimes::duration(event.value));
        return;
      case EventKind::After:
        event.value =
            recorder_.end(event.other_thread(), static_cast<Time>(event.value), time(event.other_thread()));
        return;
      case EventKind::Split:
        conflicts_.split(event.split_from(), event.variable());
        return;
      case EventKind::Retire:
        conflicts_.retire(event.variable());
        retired_.add(event.position, event.variable(), variables_->address(event.variable()));
        return;
      default:
        if (is_access(event.kind))
          // The innermost lock is the one that most often protects the variable: the table finds its first
          // lock fastest.
          for (const OpenSections::Open& section : open_.open(event.thread) | std::views::reverse) {
            raised_ = &sections_[section.tag];
            conflicts_.access(section.name, event.variable(), is_write(event.kind), *this);
          }
        break;
    }
    if (!kTimeSteps.has(event.kind) || stepped_ == event.position) return;
    stepped_ = event.position;  // once, though an access may come in parts
    open_.tick(event.thread);
    recorder_.step(event.thread, time(event.thread)++);
  }

  /// In a pass each event that may tell a thread something can leave a clock in the logs.
  bool window_is_full() const {
    constexpr std::size_t kMaxTimes = std::size_t{1} << 25;
    return window_size() >= options_.max_window || sections_.size() * arrival_times_.size() >= kMaxTimes;
  }

  /// The local time that the thread will have in a pass.
  Time& time(ThreadId thread) {
    if (thread.index() >= arrival_times_.size()) arrival_times_.resize(thread.index() + 1, 1);
    return arrival_times_[thread.index()];
  }

  void acquire(Event& event) {
    races_.acquires(event, !open_.open(event.thread).empty());
    OpenSections::Open& opened = open_.acquire(event);
    opened.tag = static_cast<std::uint32_t>(sections_.size());
    Section& section = sections_.emplace_back();
    section.name = opened.name;
    section.before = opened.before;
    section.settled = opened.alone;
    if (!section.settled) ++unsettled_;
    event.value = opened.tag;
  }

  void release(Event& event) {
    bool nested = true;
    const OpenSections::Open closed = open_.release(event, nested);
    if (!nested) races_.released_out_of_order();
    event.value = kAll;
    if (!closed.name.thread.valid()) return;
    event.value = closed.tag;
    if (!sections_[closed.tag].settled) --unsettled_;
  }

  // Rule (a).
  void exclusive(std::uint32_t end) override {
    raised_->latest = std::max<std::uint64_t>(raised_->latest, end);
  }
  void shared(ThreadId thread, std::uint32_t end) override { raise(*raised_, thread, end); }

  static bool raise(Section& section, ThreadId reader, std::uint64_t end) {
    const auto found =
        std::ranges::find(section.latest_shared, reader, &std::pair<ThreadId, std::uint64_t>::first);
    if (found == section.latest_shared.end()) {
      section.latest_shared.emplace_back(reader, end);
      return true;
    }
    if (found->second >= end) return false;
    found->second = end;
    return true;
  }

  // A window.

  void begin_window() {
    ++window_number_;
    touched_logs_.clear();
    window_.clear();
    early_ = 0;
    edges_.clear();
    retired_.clear();
    checked_ = 0;
    reporting_ = false;
    // Of the sections only the open ones are left.
    still_open_.clear();
    for (std::size_t t = 0; t < open_.threads(); ++t)
      for (OpenSections::Open& each : open_.open(ThreadId(t))) {
        still_open_.push_back(std::move(sections_[each.tag]));
        still_open_.back().settled = true;
        each.tag = static_cast<std::uint32_t>(still_open_.size() - 1);
      }
    std::swap(sections_, still_open_);
    unsettled_ = 0;
  }

  /// An access that was reported late and is the first in the window, which no race can make a pass take
  /// back: it need not be kept.
  void pass_early() {
    pass();
    early_ += window_.size();
    window_.clear();
    checked_ = 0;
  }
  std::size_t window_size() const { return early_ + window_.size(); }

  void end_window() {
    clocks_.checkpoint();
    times_.checkpoint();
    seen_ += window_size();
    if (unsettled_ > 0 && !at_end_)
      for (std::size_t t = 0; t < open_.threads(); ++t)
        for (const OpenSections::Open& each : open_.open(ThreadId(t)))
          if (!sections_[each.tag].settled) sections_[each.tag].latest = kAll;
    while (true) {
      pass();
      if (rose_late_ || (rose_ && stopped_)) {
        // Once more.
      } else if (!stopped_) {
        break;
      } else if (continues_) {
        race_becomes_edge();
      } else {
        reporting_ = true;
      }
      restore();
    }
    settle_logs();
    begin_window();
  }

  void restore() {
    clocks_.restore();
    times_.restore();
    for (LockSections* log : touched_logs_) log->restore();
  }

  LockSections& log(LockId lock) {
    LockSections& found = logs_[lock];
    if (found.checkpoint(window_number_)) {
      touched_logs_.push_back(&found);
      logs_.leave_out(found);
    }
    return found;
  }

  /// The window is done: what the logs have of it stays, as far as there is room.
  void settle_logs() {
    for (LockSections* log : touched_logs_) {
      log->trim();
      logs_.count(*log);
    }
    logs_.bound();
  }

  // A pass over the window.

  void pass() {
    rose_ = rose_late_ = stopped_ = false;
    std::ranges::fill(published_, 0);
    std::size_t next_edge = 0;
    std::uint64_t position = 0;
    for (std::size_t i = 0; i < window_.size();) {
      const Event& event = window_[i];
      CausalClocks::ThreadState& self = clocks_.thread(event.thread);
      if (event.position != position && !kRetroAccesses.has(event.kind)) clocks_.next(event.thread, self);
      position = event.position;
      for (; next_edge < edges_.size() && edges_[next_edge].index == i; ++next_edge)
        clocks_.edge(event.thread, times_.at(edges_[next_edge].first));
      std::size_t parts = 1;
      const bool alone = i + 1 == window_.size() || window_[i + 1].position != position;
      if (alone && (kPlainAccesses | kAtomicAccesses).has(event.kind)) {
        lone_access(i, event, self);
      } else if (kRetroAccesses.has(event.kind)) {
        parts = alone ? 1 : count_parts(window_, i);
        late_access(i, std::span<const Event>(window_).subspan(i, parts), self);
      } else if (is_access(event.kind)) {
        parts = count_parts(window_, i);
        access(i, std::span<const Event>(window_).subspan(i, parts));
      } else {
        synchronize(i, event);
      }
      i += parts;
    }
    if (at_end_)
      for (std::size_t t = 0; t < open_.threads(); ++t)
        for (const OpenSections::Open& each : open_.open(ThreadId(t))) rule_b(sections_[each.tag]);
  }

  void synchronize(std::size_t i, const Event& event) {
    const ThreadId t = event.thread;
    switch (event.kind) {
      case EventKind::Acquire:
      case EventKind::AcquireShared: {
        clocks_.acquire(event);
        Section& section = sections_[event.value];
        section.index = i;
        apply(section);
        section.acquired = clocks_.epoch(t);
        clocks_.next(t);
        note(t);
        return;
      }
      case EventKind::Release:
      case EventKind::ReleaseShared: {
        if (event.value != kAll) {
          Section& section = sections_[event.value];
          rule_b(section);
          LockSections& lock = log(event.lock());
          const VectorClock& H = clocks_.thread(t).H;
          if (event.kind == EventKind::Release)
            lock.exclusive.append(section.acquired, H, clocks_.lock(event.lock()).H);
          else
            lock.append_shared(t, section.acquired, H);
        }
        clocks_.release(event);
        break;
      }
      case EventKind::Split:
      case EventKind::Retire:
        if (i >= checked_ && !stopped_) {
          races_.lifetime(event);
          checked_ = i + 1;
        }
        clocks_.consume(event);
        return;
      default:
        clocks_.consume(event);
        if (event.kind == EventKind::Fork) note(event.other_thread());
        break;
    }
    published(t, i);
    if (kTimeSteps.has(event.kind)) clocks_.next(t);
    note(t);
  }

  /// The base edges into the acquire of a section that are known so far.
  void apply(const Section& section) {
    LockSections& lock = log(section.name.lock);
    VectorClock& P = clocks_.thread(section.name.thread).P;
    if (section.name.shared) return lock.exclusive.raise_reader(P, std::min(section.latest, section.before));
    lock.exclusive.raise(P, std::min(section.latest, section.before));
    if (section.latest == kAll)
      for (LockSections::Reader& reader : lock.readers) reader.log.raise(P, kAll);
    for (const auto& [thread, end] : section.latest_shared) lock.reader(thread).log.raise(P, end);
  }

  /// rel(k) <CP acq(h) for all k with acq(k) <CP rel(h): `section` is h, its thread at its end.
  void rule_b(Section& section) {
    if (section.settled) return;
    // One reader's section may know another one's that the rule then applies to.
    while (raise_latest(section)) {
      rose_ = true;
      // Between the two the thread told others less than it should have.
      const std::size_t t = section.name.thread.index();
      if (t < published_.size() && published_[t] > section.index) rose_late_ = true;
      apply(section);
    }
  }

  bool raise_latest(Section& section) {
    LockSections& lock = log(section.name.lock);
    const VectorClock& P = clocks_.thread(section.name.thread).P;
    bool rose = false;
    const std::uint64_t end = std::min(lock.exclusive.covered(P), section.before);
    if (end > section.latest && end > lock.exclusive.implied()) {
      section.latest = end;
      rose = true;
    }
    if (!section.name.shared && section.latest != kAll)
      for (const LockSections::Reader& reader : lock.readers)
        if (const std::uint64_t last = reader.log.covered(P); last > reader.log.implied())
          rose |= raise(section, reader.thread, last);
    return rose;
  }

  void published(ThreadId thread, std::size_t i) {
    if (thread.index() >= published_.size()) published_.resize(thread.index() + 1);
    published_[thread.index()] = i;
  }

  void note(ThreadId thread) { note(thread, clocks_.thread(thread)); }
  void note(ThreadId thread, CausalClocks::ThreadState& self) {
    if (!self.rose) return;
    self.rose = false;
    if (continues_) times_.note(thread, self.now, self.H);
  }

  /// To one variable: what most events are.
  void lone_access(std::size_t i, const Event& event, CausalClocks::ThreadState& self) {
    const ThreadId t = event.thread;
    const bool atomic = is_atomic(event.kind);
    if (atomic) clocks_.before_atomic(event, self);
    note(t, self);
    if (i >= checked_ && !stopped_) {
      const Time own = self.P[t];
      self.P.set(t, self.now);
      const bool unraced = races_.remember_if_unraced(event, Epoch(t, self.now), self.P);
      self.P.set(t, own);
      if (unraced)
        checked_ = i + 1;
      else
        check(i, std::span(&event, 1));
    }
    if (event.kind == EventKind::Write) clocks_.plain_write(event.variable());
    if (!atomic) return;
    clocks_.after_atomic(event, self);
    published(t, i);
    if (kTimeSteps.has(event.kind)) CausalClocks::next(t, self);
  }

  void access(std::size_t i, std::span<const Event> parts) {
    const ThreadId t = parts.front().thread;
    for (const Event& part : parts) {
      if (is_atomic(part.kind)) clocks_.before_atomic(part);
      if (part.kind == EventKind::Split) clocks_.consume(part);
    }
    note(t);
    if (i >= checked_ && !stopped_) check(i, parts);
    for (const Event& part : parts) {
      if (is_atomic(part.kind)) clocks_.after_atomic(part);
      if (part.kind == EventKind::Write) clocks_.plain_write(part.variable());
      if (part.kind == EventKind::Retire) clocks_.consume(part);
    }
    if (!is_atomic(parts.front().kind)) return;
    published(t, i);
    if (kTimeSteps.has(parts.front().kind)) clocks_.next(t);
  }

  /// All parts are of one time.
  void late_access(std::size_t i, std::span<const Event> parts, CausalClocks::ThreadState& self) {
    constexpr std::size_t kAhead = 12;
    const ThreadId t = parts.front().thread;
    note(t, self);
    const bool unchecked = i >= checked_ && !stopped_;
    const Epoch then(t, recorder_.last(t, static_cast<Time>(parts.front().value), self.now));
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const Event& event = parts[part];
      if (event.kind == EventKind::Split) clocks_.consume(event);
      if (!unchecked) continue;
      if (part + kAhead < parts.size()) races_.prefetch(parts[part + kAhead].variable());
      if (event.kind == EventKind::Split)
        races_.lifetime(event);
      else
        races_.remember_late(event, then);
    }
    if (unchecked) checked_ = i + parts.size();
  }

  // The race check: in every pass, as far as nothing races. If P rises later, what was ordered still is.

  void check(std::size_t i, std::span<const Event> parts) {
    const ThreadId t = parts.front().thread;
    CausalClocks::ThreadState& self = clocks_.thread(t);
    // What the thread itself did before is ordered, though it may not causally precede.
    const Time own = self.P[t];
    self.P.set(t, self.now);
    const std::span<const CausalRaces::First> firsts = races_.find(parts, self.P);
    if (!firsts.empty() && !reporting_) {
      const CausalRaces::First& first = firsts.front();
      stopped_ = true;
      stop_ = {.index = i,
               .first = first,
               .also_hb = !self.H.covers(first.when),
               .now = clocks_.thread(first.when.thread()).now,
               .known = self.P[first.when.thread()]};
      self.P.set(t, own);
      return;
    }
    for (const CausalRaces::First& first : firsts) report(first, parts, !self.H.covers(first.when));
    races_.remember(parts, Epoch(t, self.now), self.P);
    self.P.set(t, own);
    checked_ = i + parts.size();
  }

  void report(const CausalRaces::First& first, std::span<const Event> parts, bool also_hb) {
    races_.report(first, parts, also_hb, continues_,
                  retired_.address(first.variable, parts.front().position));
  }

  void race_becomes_edge() {
    const std::size_t i = stop_.index;
    Epoch from = stop_.first.when;
    bool ordered = false;
    if (late_ || thinned_) {
      const auto [begin, end] = recorder_.around(from.thread(), from.time(), stop_.now);
      const bool knows_some = stop_.known >= begin;
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
      report(stop_.first, std::span<const Event>(window_).subspan(i, count_parts(window_, i)), stop_.also_hb);
    const auto after = std::ranges::upper_bound(edges_, i, {}, &RaceEdge::index);
    edges_.insert(after, {i, from});
    constexpr std::uint64_t kFree = 1 << 20, kTimes = 4;
    replayed_ += window_size();
    if (replayed_ > kFree + kTimes * seen_) continues_ = false;
  }

  const CpOptions options_;
  const Variables* variables_ = nullptr;
  bool late_ = false;     ///< accesses may be reported late
  bool thinned_ = false;  ///< repetitions are missing
  bool continues_ = options_.continuation;
  std::uint64_t seen_ = 0;      ///< events
  std::uint64_t replayed_ = 0;  ///< events in passes that a race asked for

  // As events come.
  OpenSections open_;
  ConflictTable conflicts_;
  Section* raised_ = nullptr;        ///< by the access at hand
  std::uint64_t arrived_ = 0;        ///< position of the last event
  std::uint64_t stepped_ = 0;        ///< position of the last of kTimeSteps
  std::vector<Time> arrival_times_;  ///< by thread
  RecorderTimes recorder_;
  bool at_end_ = false;

  // The window.
  std::vector<Event> window_;  ///< `value` of a lock event: index in sections_, or kAll
  std::size_t early_ = 0;      ///< events before these that a pass was made over
  std::vector<Section> sections_;
  std::vector<Section> still_open_;  ///< of the window before; only its memory stays
  std::size_t unsettled_ = 0;        ///< open sections whose latest() can rise
  std::vector<RaceEdge> edges_;      ///< by index
  RetiredVariables retired_;

  // Passes.
  CausalClocks clocks_;
  SectionLogs logs_;
  std::vector<LockSections*> touched_logs_;
  std::uint64_t window_number_ = 0;
  ClockLog times_;
  std::vector<std::size_t> published_;  ///< by thread: index of the pass' last event that others learn from
  bool rose_ = false;                   ///< some latest()
  bool rose_late_ = false;              ///< ... after the thread had told others of its P
  CausalRaces races_{"cp"};
  std::size_t checked_ = 0;  ///< events of the window before this one have been
  bool stopped_ = false;     ///< at stop_
  Stop stop_;
  bool reporting_ = false;  ///< P is final, and every race is to be reported
};

const RegisterAnalysis kRegister({
    .name = "cp",
    .summary = "races that another order of the same lock operations shows (causally-precedes)",
    .explain =
        "Orders two critical sections of a lock only if something in them must stay in this order: clashing "
        "accesses, or\n"
        "events that are ordered already. What is left unordered races, also if the locks of the recorded "
        "run "
        "hide it.\n"
        "Verdict: predicted, for the first race and, with each race taken for an order from then on, the "
        "next "
        "ones: some\n"
        "correct reordering of the run has the race or a deadlock. Suspected after a release out of nested "
        "order, after\n"
        "unordered atomic accesses to one variable, after a lock was only tried while another one was held,\n"
        "after the first race if not all accesses were recorded in their exact order (--filter=none in a "
        "controlled run),\n"
        "and when the many races of a trace have taken more time than the rest of it.",
    .by_default = true,
    .make = make<CausallyPrecedes>,
});

}  // namespace

std::unique_ptr<Analysis> make_cp(const CpOptions& options) {
  return std::make_unique<CausallyPrecedes>(options);
}

}  // namespace ravel
