#include "witness/reordering.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "witness/rendezvous.h"

namespace ravel {
namespace {

constexpr std::array kRuleTexts = {
#define X(name, text) std::string_view(text),
    RAVEL_REORDERING_RULES(X)
#undef X
};

/// Runs events of the original one by one and says what forbids the next one.
class Replay {
 public:
  explicit Replay(const SmallTrace& original)
      : original_(original),
        done_(original.events.size()),
        phases_(barrier_phases(original)),
        waits_(finished_waits(original)) {
    Memory memory;
    for (std::size_t i = 0; i < original.events.size(); ++i) {
      const Event& event = original.events[i];
      sources_.push_back(seen(i, memory));
      write(i, memory);
      events_of_[event.thread].push_back(i);
      if (event.kind == EventKind::Fork) forks_of_[event.other_thread()].push_back(i);
    }
    find_blocks();
    for (std::size_t w = 0; w < waits_.size(); ++w) {
      wait_ended_by_[waits_[w].end] = w;
      for (const std::size_t notify : waits_[w].notifies) waits_notified_by_[notify].push_back(w);
    }
  }

  enum class Reads : std::uint8_t { SameWrite, AnyWrite };

  /// The rule that running event `i` now would break.
  std::optional<ReorderingRule> broken_rule(std::size_t i, Reads reads_rule) const {
    const Event& event = original_.events[i];
    if ((kRetroAccesses | kToldOrder).has(event.kind)) return ReorderingRule::LateAccess;
    if (done_[i] || next_of(event.thread) != i) return ReorderingRule::ProgramOrder;
    if (!all_done(listed(forks_of_, event.thread))) return ReorderingRule::BeforeFork;
    if (event.kind == EventKind::Join &&
        (!all_done(listed(forks_of_, event.other_thread())) || next_of(event.other_thread()).has_value()))
      return ReorderingRule::JoinTooEarly;
    if (is_acquire(event.kind) && !holders(event).empty()) return ReorderingRule::LockHeld;
    if (is_release(event.kind) && !holds(event)) return ReorderingRule::LockNotHeld;
    if (breaks_barrier(i)) return ReorderingRule::BarrierPhase;
    if (breaks_wait(i)) return ReorderingRule::WaitWithoutNotify;
    if (breaks_lifetime(i)) return ReorderingRule::BlockLifetime;
    if (reads_rule == Reads::SameWrite && seen(i, memory_) != sources_[i]) return ReorderingRule::ReadsOther;
    return std::nullopt;
  }

  void run(std::size_t i) {
    const Event& event = original_.events[i];
    done_[i] = true;
    ++ran_[event.thread];
    write(i, memory_);
    if (event.kind == EventKind::Acquire) owner_[event.target] = event.thread;
    if (event.kind == EventKind::Release) owner_.erase(event.target);
    if (event.kind == EventKind::AcquireShared) readers_[event.target].insert(event.thread);
    if (event.kind == EventKind::ReleaseShared) readers_[event.target].erase(event.thread);
    if (event.kind == EventKind::Free) {
      const auto inside = [&event](const auto& entry) { return entry.first - event.target < event.width; };
      std::erase_if(owner_, inside);
      std::erase_if(readers_, inside);
    }
  }

  /// The threads whose hold on the lock stands against this acquire.
  std::set<ThreadId> holders(const Event& acquire) const {
    std::set<ThreadId> result;
    if (const auto found = owner_.find(acquire.target); found != owner_.end()) result.insert(found->second);
    if (acquire.kind == EventKind::AcquireShared) {
      if (holds_shared(acquire)) result.insert(acquire.thread);
    } else if (const auto found = readers_.find(acquire.target); found != readers_.end()) {
      result.insert(found->second.begin(), found->second.end());
    }
    return result;
  }

  /// Index of the thread's first event that has not run.
  std::optional<std::size_t> next_of(ThreadId thread) const {
    const std::vector<std::size_t>& all = listed(events_of_, thread);
    const auto ran = ran_.find(thread);
    const std::size_t count = ran == ran_.end() ? 0 : ran->second;
    return count < all.size() ? std::optional(all[count]) : std::nullopt;
  }

 private:
  using Sources = std::vector<std::size_t>;  // by byte of a read: the write it sees + 1, or 0 for none
  using Memory = std::map<std::uint64_t, std::size_t>;

  using Indices = std::vector<std::size_t>;

  template <typename Key>
  static const Indices& listed(const std::map<Key, Indices>& lists, const Key& key) {
    static const Indices none;
    const auto found = lists.find(key);
    return found == lists.end() ? none : found->second;
  }

  /// What event i reads from `memory`, byte by byte.
  Sources seen(std::size_t i, const Memory& memory) const {
    const Event& event = original_.events[i];
    Sources sources;
    if (!is_access(event.kind) || !reads(event.kind)) return sources;
    for (std::uint64_t byte = event.target; byte < event.target + event.width; ++byte) {
      const auto found = memory.find(byte);
      sources.push_back(found == memory.end() ? 0 : found->second);
    }
    return sources;
  }

  void write(std::size_t i, Memory& memory) const {
    const Event& event = original_.events[i];
    if (!is_access(event.kind) || !is_write(event.kind)) return;
    for (std::uint64_t byte = event.target; byte < event.target + event.width; ++byte) memory[byte] = i + 1;
  }

  bool holds_shared(const Event& event) const {
    const auto found = readers_.find(event.target);
    return found != readers_.end() && found->second.contains(event.thread);
  }
  bool holds(const Event& release) const {
    if (release.kind == EventKind::ReleaseShared) return holds_shared(release);
    const auto found = owner_.find(release.target);
    return found != owner_.end() && found->second == release.thread;
  }

  bool all_done(const std::vector<std::size_t>& events) const {
    return std::ranges::all_of(events, [this](std::size_t i) { return done_[i]; });
  }

  bool breaks_barrier(std::size_t i) const {
    const auto phase = phases_.phase_of[i];
    if (!phase) return false;
    if (original_.events[i].kind == EventKind::BarrierExit) return !all_done(phases_.phases[*phase].arrivals);
    const auto before = phases_.previous[*phase];
    return before && !all_done(phases_.phases[*before].arrivals);
  }

  bool breaks_wait(std::size_t i) const {
    const auto ended = wait_ended_by_.find(i);
    if (ended != wait_ended_by_.end() && !all_done(waits_[ended->second].notifies)) return true;
    return std::ranges::any_of(listed(waits_notified_by_, i),
                               [this](std::size_t wait) { return !done_[waits_[wait].begin]; });
  }

  /// By stretch of memory between two boundaries of blocks: what begins or ends the life of it.
  void find_blocks() {
    for (const Event& event : original_.events) {
      if (!is_block(event)) continue;
      blocks_.try_emplace(event.target);
      blocks_.try_emplace(event.target + event.width);
    }
    for (std::size_t i = 0; i < original_.events.size(); ++i) {
      const Event& event = original_.events[i];
      if (!is_block(event)) continue;
      const auto end = blocks_.find(event.target + event.width);
      for (auto at = blocks_.find(event.target); at != end; ++at) at->second.push_back(i);
    }
  }

  /// An event must not overtake what begins or ends the life of its memory, nor be overtaken by it.
  bool breaks_lifetime(std::size_t i) const {
    const Event& event = original_.events[i];
    auto at = blocks_.upper_bound(event.target);
    if (at != blocks_.begin()) --at;
    for (; at != blocks_.end() && at->first <= event.target + event.width; ++at) {
      for (const std::size_t j : at->second) {
        const Event& block = original_.events[j];
        const bool related = uses_block(event, block) || (is_block(event) && uses_block(block, event));
        if (j != i && related && (j < i) != done_[j]) return true;
      }
    }
    return false;
  }

  const SmallTrace& original_;
  std::vector<bool> done_;
  BarrierPhases phases_;
  std::vector<FinishedWait> waits_;
  std::map<std::size_t, std::size_t> wait_ended_by_;  // by event
  std::map<std::size_t, Indices> waits_notified_by_;
  std::map<ThreadId, Indices> events_of_;
  std::map<ThreadId, Indices> forks_of_;     // the forks that name the thread
  std::map<ThreadId, std::size_t> ran_;      // how many of its events
  std::map<std::uint64_t, Indices> blocks_;  // by the first address of a stretch of memory
  std::vector<Sources> sources_;             // by event, in the original
  Memory memory_;
  std::map<std::uint64_t, ThreadId> owner_;
  std::map<std::uint64_t, std::set<ThreadId>> readers_;
};

ReorderingFault fault(ReorderingRule rule, std::size_t step, std::span<const std::uint64_t> sequence) {
  return {rule, step, step < sequence.size() ? sequence[step] : 0};
}

/// Runs the first `steps` events of the sequence.
std::expected<void, ReorderingFault> replay(Replay& run, const SmallTrace& original,
                                            std::span<const std::uint64_t> sequence, std::size_t steps) {
  for (std::size_t step = 0; step < steps; ++step) {
    const auto index = original.index_of(sequence[step]);
    if (!index) return std::unexpected(fault(ReorderingRule::UnknownEvent, step, sequence));
    if (const auto broken = run.broken_rule(*index, Replay::Reads::SameWrite))
      return std::unexpected(fault(*broken, step, sequence));
    run.run(*index);
  }
  return {};
}

}  // namespace

std::string_view rule_text(ReorderingRule rule) { return kRuleTexts[static_cast<std::size_t>(rule)]; }

std::string ReorderingFault::text() const {
  return fmt::format("step {}: event {} {}", step, position, rule_text(rule));
}

std::expected<void, ReorderingFault> check_reordering(const SmallTrace& original,
                                                      std::span<const std::uint64_t> sequence) {
  Replay run(original);
  return replay(run, original, sequence, sequence.size());
}

std::expected<void, ReorderingFault> check_race(const SmallTrace& original,
                                                std::span<const std::uint64_t> sequence) {
  if (sequence.size() < 2) return std::unexpected(fault(ReorderingRule::NoRace, sequence.size(), sequence));
  Replay run(original);
  if (const auto prefix = replay(run, original, sequence, sequence.size() - 2); !prefix) return prefix;
  std::array<std::size_t, 2> pair{};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::size_t step = sequence.size() - 2 + k;
    const auto index = original.index_of(sequence[step]);
    if (!index) return std::unexpected(fault(ReorderingRule::UnknownEvent, step, sequence));
    if (const auto broken = run.broken_rule(*index, Replay::Reads::AnyWrite))
      return std::unexpected(fault(*broken, step, sequence));
    pair[k] = *index;
  }
  if (!clash(original.events[pair[0]], original.events[pair[1]]))
    return std::unexpected(fault(ReorderingRule::NoRace, sequence.size() - 1, sequence));
  return {};
}

std::expected<std::vector<ThreadId>, ReorderingFault> check_deadlock(const SmallTrace& original,
                                                                     std::span<const std::uint64_t> sequence,
                                                                     DeadlockWaits waits,
                                                                     const std::set<ThreadId>& among) {
  Replay run(original);
  if (const auto prefix = replay(run, original, sequence, sequence.size()); !prefix)
    return std::unexpected(prefix.error());

  std::map<ThreadId, std::set<ThreadId>> waits_for;
  std::set<ThreadId> threads;
  for (const Event& any : original.events)
    if (among.empty() || among.contains(any.thread)) threads.insert(any.thread);
  for (const ThreadId thread : threads) {
    const auto next = run.next_of(thread);
    if (!next) continue;
    // A request announces the acquire that follows it in its thread.
    std::size_t acquire = *next;
    if (original.events[acquire].kind == EventKind::Request) {
      const std::uint64_t lock = original.events[acquire].target;
      do ++acquire;
      while (acquire < original.events.size() && original.events[acquire].thread != thread);
      if (acquire == original.events.size() || original.events[acquire].target != lock) continue;
    }
    const auto broken = run.broken_rule(*next, Replay::Reads::AnyWrite);
    const Event& event = original.events[acquire];
    if (is_acquire(event.kind) && event.would_wait() && (!broken || broken == ReorderingRule::LockHeld))
      waits_for[thread] = run.holders(event);
    if (event.kind == EventKind::Join && broken == ReorderingRule::JoinTooEarly &&
        waits == DeadlockWaits::LocksAndJoins)
      waits_for[thread] = {event.other_thread()};
  }

  // Every cycle is found from each of its threads by a walk along waits_for.
  for (const auto& [start, unused] : waits_for) {
    std::vector<std::vector<ThreadId>> walks = {{start}};
    std::set<ThreadId> seen;
    while (!walks.empty()) {
      std::vector<ThreadId> walk = walks.back();
      walks.pop_back();
      for (const ThreadId next :
           waits_for.contains(walk.back()) ? waits_for[walk.back()] : std::set<ThreadId>{}) {
        if (next == start) return walk;
        if (!seen.insert(next).second) continue;
        walks.push_back(walk);
        walks.back().push_back(next);
      }
    }
  }
  return std::unexpected(fault(ReorderingRule::NoDeadlock, sequence.size(), sequence));
}

}  // namespace ravel
