// deadlock: threads that wait for each other's locks, or would in another order of the run.
//
// Guarantee: a deadlock is `observed` if the trace ends with threads that ask for locks in a circle, each
// held by the next. It is `predicted` if a correct reordering of the trace (witness/reordering.h) ends like
// that: the sync-preserving closure of what the requests of a cycle (lock_cycles.h) need has none of them
// (Tunç, Mathur, Pavlogiannis, Viswanathan 2023). All cycles that the closure can show are found, within the
// bounds of lock_cycles.h. A cycle that it cannot show is `suspected`, unless fork, join and other hard order
// rule it out in every run. Locks taken by one thread alone, locks held by readers who do not exclude each
// other, locks that are only tried or asked for with a time limit, and cycles behind a common lock are
// silent. Assumptions: as syncp. Waiting for anything but locks (joins, conditions) is not looked at.
//
// Passes: the first finds cycles, which is cheap, and most traces have none; the second keeps the closure and
// decides; the third looks up where the events of what was found are. Where accesses are missing nothing can
// be predicted, so the first pass is the only one: it follows the hard order, and keeps the few events that a
// report can be about.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/certain_order.h"
#include "analysis/lock_cycles.h"
#include "analysis/trace_closure.h"

namespace ravel {
namespace {

constexpr std::string_view kObserved = "the run ended with these threads waiting for each other";
constexpr std::string_view kPredicted =
    "a correct reordering that keeps the order of critical sections ends with these threads waiting for each "
    "other";

/// Entries of lists that may be walked to rule out cycles.
constexpr std::uint64_t kMostSteps = 500'000'000;

class Deadlock final : public Analysis {
 public:
  /// What a run ended with is known from its locks alone; decide() sees to the rest.
  Wants wants() const override { return {KindMask::all(), FilterLevel::Owner}; }

  void begin(const TraceContext& context, DetectionSink& sink) override {
    sink_ = &sink;
    has_accesses_ = context.header.filter <= FilterLevel::Segment;
    locksets_ = &context.locksets;
    if (pass_ == Pass::Decide) order_.start(context);
    if (pass_ == Pass::Decide || !has_accesses_) closure_ = std::make_unique<TraceClosure>(context);
  }

  void consume(std::span<const Event> batch) override {
    if (!batch.empty() && batch.back().position > kLastPosition) return;
    switch (pass_) {
      case Pass::FindCycles:
        // Most events are accesses: they matter only to a thread that has asked for a lock.
        for (const Event& event : batch)
          if (kFollowed.has(event.kind) || requests_ > 0) follow(event);
        return;
      case Pass::Decide:
        order_.consume(batch);
        closure_->consume(batch);
        return;
      case Pass::LookUp:
        for (const Event& event : batch)
          if (const auto wanted = events_.find(event.position);
              wanted != events_.end() && is_lock(event.kind))
            wanted->second = Involved(event);
        return;
    }
  }

  Finish finish() override {
    switch (pass_) {
      case Pass::FindCycles:
        report_observed();
        chains_ = cycles_.find(*locksets_);
        if (!has_accesses_) {
          for (const auto& chain : chains_) suspect(chain);
          return Finish::Done;
        }
        pass_ = Pass::Decide;
        return chains_.empty() ? Finish::Done : Finish::Again;
      case Pass::Decide:
        for (const auto& chain : chains_) decide(chain);
        closure_.reset();
        pass_ = Pass::LookUp;
        return found_.empty() ? Finish::Done : Finish::Again;
      case Pass::LookUp:
        for (const Found& one : found_) report(one);
        return Finish::Done;
    }
    return Finish::Done;
  }

 private:
  enum class Pass : std::uint8_t { FindCycles, Decide, LookUp };

  /// A thread's part in a deadlock: where it took the lock that the one before waits for, and what it asks
  /// for.
  struct Wait {
    LockId held;
    LockId wanted;
    Involved acquire;
    Involved request;
  };
  struct Found {
    struct Part {
      LockId held;
      LockId wanted;
      std::uint64_t acquire;  ///< positions
      std::uint64_t request;
    };
    Verdict verdict;
    std::vector<Part> parts;
  };
  using Taken = std::vector<std::pair<LockId, Involved>>;
  struct Holder {
    Taken held;
    std::optional<std::pair<LockId, Involved>> request;  ///< the thread's last event, if it is one
    std::uint64_t stretch = 0;                           ///< how many of its events others may wait for
  };
  /// An acquire that a report can be about, and those of the locks that the thread held.
  struct Asked {
    Involved request;
    Taken held;
  };
  static constexpr KindMask kHardOrder =
      KindMask::of(EventKind::Fork, EventKind::Join, EventKind::BarrierEnter, EventKind::BarrierExit,
                   EventKind::WaitBegin, EventKind::WaitEnd, EventKind::Notify, EventKind::NotifyAll);
  static constexpr KindMask kFollowed =
      kHardOrder | KindMask::of(EventKind::Request, EventKind::Acquire, EventKind::AcquireShared,
                                EventKind::Release, EventKind::ReleaseShared);

  static bool is_lock(EventKind kind) {
    return kind == EventKind::Acquire || kind == EventKind::AcquireShared;
  }

  Holder& holder(ThreadId thread) {
    if (thread.index() >= holders_.size()) holders_.resize(thread.index() + 1);
    return holders_[thread.index()];
  }

  void follow(const Event& event) {
    Holder& self = holder(event.thread);
    if (self.request && !kRetroAccesses.has(event.kind)) {
      self.request.reset();
      --requests_;
    }
    if (kHardOrder.has(event.kind)) return follow_order(event);
    switch (event.kind) {
      case EventKind::Request:
        self.request.emplace(event.lock(), Involved(event));
        ++requests_;
        return;
      case EventKind::Acquire:
      case EventKind::AcquireShared:
        // The closure decides about each request. The hard order does not tell those of one stretch apart.
        if (cycles_.consume(event, has_accesses_ ? event.position : self.stretch) && !has_accesses_)
          asked_[event.position] = {Involved(event), self.held};
        self.held.emplace_back(event.lock(), Involved(event));
        return;
      case EventKind::Release:
      case EventKind::ReleaseShared:
        cycles_.consume(event, self.stretch);
        std::erase_if(self.held, [&](const auto& held) { return held.first == event.lock(); });
        return;
      default:
        return;
    }
  }

  void follow_order(const Event& event) {
    if (has_accesses_) return;  // another pass does that
    closure_->consume(event);
    ++holder(event.thread).stretch;
    if (event.kind == EventKind::Join) ++holder(event.other_thread()).stretch;
  }

  /// Threads whose last event asks for a lock that another one holds for itself. Whether a request is a
  /// reader's is not in the trace, so locks that readers hold do not count.
  void report_observed() {
    struct Owner {
      ThreadId thread;
      const Involved* acquire;
    };
    boost::unordered_flat_map<LockId, Owner> owners;
    for (std::size_t t = 0; t < holders_.size(); ++t)
      for (const auto& [lock, acquire] : holders_[t].held)
        if (acquire.kind == EventKind::Acquire) owners[lock] = {ThreadId(t), &acquire};
    std::vector<bool> seen(holders_.size());
    for (std::size_t first = 0; first < holders_.size(); ++first) {
      std::vector<std::size_t> walk;
      std::size_t at = first;
      while (holders_[at].request && !seen[at]) {
        seen[at] = true;
        walk.push_back(at);
        const auto owner = owners.find(holders_[at].request->first);
        if (owner == owners.end() || owner->second.thread.index() == at) break;
        at = owner->second.thread.index();
        const auto begin = std::ranges::find(walk, at);
        if (begin == walk.end()) continue;
        std::vector<Wait> waits;
        for (auto one = begin; one != walk.end(); ++one) {
          const auto before = one == begin ? std::prev(walk.end()) : std::prev(one);
          const LockId held = holders_[*before].request->first;
          waits.push_back({held, holders_[*one].request->first, *owners.at(held).acquire,
                           holders_[*one].request->second});
        }
        tell(Verdict::Observed, kObserved, waits);
        break;
      }
    }
  }

  /// The requests of the chain, if there are such that can be next all at once.
  std::optional<std::vector<Mark>> requests(const std::vector<std::uint32_t>& chain,
                                            SyncClosure::Rules rules) {
    SyncClosure closure(closure_->history(), rules);
    std::vector<std::size_t> at(chain.size());
    // A request that the closure has is in the closure of all later ones, too: none is tried twice.
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < chain.size(); ++i)
        closure.include({line(chain[i]), before(cycles_[chain[i]].requests[at[i]])});
      for (std::size_t i = 0; i < chain.size(); ++i) {
        const std::vector<Mark>& all = cycles_[chain[i]].requests;
        const auto next = std::ranges::upper_bound(all, closure.in(line(chain[i])));
        if (next == all.end()) return std::nullopt;
        again |= static_cast<std::size_t>(next - all.begin()) != at[i];
        at[i] = static_cast<std::size_t>(next - all.begin());
      }
    }
    steps_ += closure.steps();
    std::vector<Mark> marks;
    marks.reserve(chain.size());
    for (std::size_t i = 0; i < chain.size(); ++i) marks.push_back(cycles_[chain[i]].requests[at[i]]);
    return marks;
  }

  LineId line(std::uint32_t dependency) { return closure_->line(cycles_[dependency].thread); }

  LockId held(const std::vector<std::uint32_t>& chain, std::size_t i) const {
    return cycles_[chain[(i + chain.size() - 1) % chain.size()]].lock;
  }

  /// Without the accesses: what the hard order does not rule out.
  void suspect(const std::vector<std::uint32_t>& chain) {
    if (steps_ >= kMostSteps) return;
    const auto marks = requests(chain, SyncClosure::Rules::Order);
    if (!marks) return;
    std::vector<Wait> waits;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const Asked& asked = asked_.at(position_of((*marks)[i]));
      const auto taken = std::ranges::find(asked.held, held(chain, i), &Taken::value_type::first);
      CHECK(taken != asked.held.end(), "a thread waits for a lock that the next one does not hold");
      waits.push_back({taken->first, cycles_[chain[i]].lock, taken->second, asked.request});
    }
    tell_requests(Verdict::Suspected, std::move(waits));
  }

  void decide(const std::vector<std::uint32_t>& chain) {
    auto marks = requests(chain, SyncClosure::Rules::All);
    const bool certain = marks && order_.holds_before(position_of(std::ranges::max(*marks)));
    if (!marks && steps_ < kMostSteps) marks = requests(chain, SyncClosure::Rules::Order);
    if (!marks) return;
    Found found{certain ? Verdict::Predicted : Verdict::Suspected, {}};
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const LockDependency& one = cycles_[chain[i]];
      const LockId lock = held(chain, i);
      const Mark acquire =
          closure_->history().section_begin(closure_->line(one.thread), (*marks)[i], closure_->lock(lock));
      found.parts.push_back({lock, one.lock, position_of(acquire), position_of((*marks)[i])});
      events_.try_emplace(position_of(acquire));
      events_.try_emplace(position_of((*marks)[i]));
    }
    found_.push_back(std::move(found));
  }

  void report(const Found& found) {
    std::vector<Wait> waits;
    waits.reserve(found.parts.size());
    for (const Found::Part& part : found.parts)
      waits.push_back({part.held, part.wanted, events_[part.acquire], events_[part.request]});
    tell_requests(found.verdict, std::move(waits));
  }

  /// Acquires that become requests: the lock is not had before the event.
  void tell_requests(Verdict verdict, std::vector<Wait> waits) {
    for (Wait& wait : waits) {
      wait.request.kind = EventKind::Request;
      wait.request.held = locksets_->without(wait.request.held, wait.wanted);
    }
    tell(verdict, verdict == Verdict::Predicted ? kPredicted : std::string_view(), std::move(waits));
  }

  /// The thread whose request comes first in the trace is told of first.
  void tell(Verdict verdict, std::string_view guarantee, std::vector<Wait> waits) {
    std::ranges::rotate(
        waits, std::ranges::min_element(waits, {}, [](const Wait& wait) { return wait.request.position; }));
    std::vector<Involved> events;
    std::vector<LockId> locks;
    for (Wait& wait : waits) {
      wait.acquire.held = locksets_->without(wait.acquire.held, wait.held);
      events.insert(events.end(), {wait.acquire, wait.request});
      locks.insert(locks.end(), {wait.held, wait.wanted});
    }
    sink_->report({.kind = FindingKind::Deadlock,
                   .verdict = verdict,
                   .analysis = "deadlock",
                   .guarantee = guarantee,
                   .variable = {},
                   .events = events,
                   .message = {},
                   .locks = locks});
  }

  DetectionSink* sink_ = nullptr;
  LocksetTable* locksets_ = nullptr;
  Pass pass_ = Pass::FindCycles;
  bool has_accesses_ = true;     ///< all but repetitions
  std::vector<Holder> holders_;  ///< by thread
  std::size_t requests_ = 0;     ///< threads whose last event is one
  LockCycles cycles_;
  boost::unordered_flat_map<std::uint64_t, Asked> asked_;  ///< by position, if accesses are missing
  std::vector<std::vector<std::uint32_t>> chains_;
  CertainOrder order_;
  std::unique_ptr<TraceClosure> closure_;
  std::uint64_t steps_ = 0;
  std::vector<Found> found_;
  boost::unordered_flat_map<std::uint64_t, Involved> events_;  ///< by position
};

const RegisterAnalysis kRegister({
    .name = "deadlock",
    .summary = "threads that wait for each other's locks, in this run or another order of it",
    .explain =
        "Looks for threads that ask for locks in a circle, each held by the next, and have no other lock in\n"
        "common. Verdict: observed if the run ended like that; predicted if a correct reordering of the run\n"
        "(every thread does the first part of what it did, every read sees the write it saw, sections keep\n"
        "their order) does; else suspected, unless forks and joins rule it out. As syncp, it gives "
        "suspected\n"
        "on traces whose recorder dropped more than repetitions, or in the order of the recorder's hooks "
        "once\n"
        "the run has had a race. Waiting for joins, conditions and semaphores is not looked at. Nobody waits "
        "for\n"
        "a lock that he only tries, or asks for with a time limit.",
    .by_default = true,
    .make = make<Deadlock>,
    .repeats = FilterLevel::Segment,
});

}  // namespace
}  // namespace ravel
