#include "event/well_formed.h"

#include <algorithm>

namespace ravel {
namespace {

constexpr std::array<std::string_view, kTraceRules.size()> kRuleTexts = {
#define X(name, text, dropped) text,
    RAVEL_TRACE_RULES(X)
#undef X
};
constexpr std::array<std::string_view, kTraceRules.size()> kRuleDropped = {
#define X(name, text, dropped) dropped,
    RAVEL_TRACE_RULES(X)
#undef X
};

constexpr std::uint64_t kLockAlignment = 4;  // a spin lock is an int
/// Clocks count each twice at most, and everything else that the thread does.
constexpr std::uint64_t kMaxElapsed = std::uint64_t{1} << 30;

}  // namespace

std::string_view rule_text(TraceRule rule) { return kRuleTexts[static_cast<std::size_t>(rule)]; }
std::string_view rule_dropped(TraceRule rule) { return kRuleDropped[static_cast<std::size_t>(rule)]; }

WellFormed::ThreadState& WellFormed::thread(ThreadId id) {
  if (id.index() >= threads_.size()) {
    threads_.resize(id.index() + 1);
    running_.resize(id.index() + 1);
  }
  return threads_[id.index()];
}

std::optional<WellFormed::Violation> WellFormed::filter(std::vector<Event>& batch, bool lenient) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Event& event = batch[i];
    // Most events are accesses by a running thread: nothing to look up.
    const bool plain = is_access(event.kind) && event.thread.index() < running_.size() &&
                       running_[event.thread.index()] != 0;
    if (!plain) {
      TraceRule broken{};
      const Outcome outcome = check(event, broken);
      if (outcome == Outcome::Broken) {
        if (!lenient) return Violation{broken, event};
        ++dropped_[static_cast<std::size_t>(broken)];
      }
      if (outcome != Outcome::Keep) continue;
    }
    if (kept != i) batch[kept] = event;
    ++kept;
  }
  batch.resize(kept);
  return std::nullopt;
}

WellFormed::Outcome WellFormed::check(const Event& event, TraceRule& broken) {
  const auto breaks = [&broken](TraceRule rule) {
    broken = rule;
    return Outcome::Broken;
  };
  ThreadState& self = thread(event.thread);
  // These are reported by another thread, possibly after their own thread has ended.
  constexpr KindMask kReportedLate = kRetroAccesses | KindMask::of(EventKind::Elapse);
  if (self.ended && !kReportedLate.has(event.kind)) return breaks(TraceRule::AfterEnd);
  self.begun = true;
  running_[event.thread.index()] = !self.ended;
  switch (event.kind) {
    case EventKind::Acquire:
    case EventKind::AcquireShared:
      return acquire(self, event, broken);
    case EventKind::Release:
    case EventKind::ReleaseShared:
      return release(self, event, broken);
    case EventKind::Fork: {
      if (event.other_thread() == event.thread) return breaks(TraceRule::OwnForkJoin);
      ThreadState& child = thread(event.other_thread());
      if (child.begun) return breaks(TraceRule::ForkAfterStart);
      child.begun = true;
      return Outcome::Keep;
    }
    case EventKind::Join: {
      if (event.other_thread() == event.thread) return breaks(TraceRule::OwnForkJoin);
      ThreadState& child = thread(event.other_thread());
      child.begun = child.ended = true;
      running_[event.other_thread().index()] = 0;
      return Outcome::Keep;
    }
    case EventKind::ThreadExit:
      self.ended = true;
      running_[event.thread.index()] = 0;
      return Outcome::Keep;
    case EventKind::UnitBegin:
      self.units.push_back(event.target);
      return Outcome::Keep;
    case EventKind::UnitEnd:
      if (self.units.empty() || self.units.back() != event.target) return breaks(TraceRule::UnitMismatch);
      self.units.pop_back();
      return Outcome::Keep;
    case EventKind::Free:
      forget_locks(event.target, event.width);
      return Outcome::Keep;
    case EventKind::Elapse:
      if (event.value == 0 || event.value > kMaxElapsed - self.elapsed) return breaks(TraceRule::EndlessTime);
      self.elapsed += event.value;
      return Outcome::Keep;
    default:
      return Outcome::Keep;
  }
}

WellFormed::Outcome WellFormed::acquire(ThreadState& self, const Event& event, TraceRule& broken) {
  const bool shared = event.kind == EventKind::AcquireShared;
  for (Held& held : self.held) {
    if (held.lock != event.target) continue;
    if (held.shared && !shared) {
      broken = TraceRule::Upgrade;
      return Outcome::Broken;
    }
    ++held.depth;
    ++reentrant_;
    return Outcome::Filter;
  }
  LockState& lock = locks_[event.target];
  if (lock.owner.valid() || (!shared && lock.readers > 0)) {
    broken = TraceRule::HeldByOther;
    return Outcome::Broken;
  }
  if (shared)
    ++lock.readers;
  else
    lock.owner = event.thread;
  self.held.push_back({event.target, 1, shared});
  return Outcome::Keep;
}

WellFormed::Outcome WellFormed::release(ThreadState& self, const Event& event, TraceRule& broken) {
  for (std::size_t i = self.held.size(); i-- > 0;) {
    Held& held = self.held[i];
    if (held.lock != event.target) continue;
    if (held.depth > 1) {
      --held.depth;
      return Outcome::Filter;
    }
    if (held.shared != (event.kind == EventKind::ReleaseShared)) break;
    LockState& lock = locks_[event.target];
    if (held.shared)
      --lock.readers;
    else
      lock.owner = ThreadId();
    if (i + 1 != self.held.size()) ++non_nested_;
    self.held.erase(self.held.begin() + static_cast<std::ptrdiff_t>(i));
    return Outcome::Keep;
  }
  broken = TraceRule::NotOwner;
  return Outcome::Broken;
}

void WellFormed::forget_locks(std::uint64_t begin, std::uint64_t size) {
  const auto inside = [begin, size](std::uint64_t address) { return address - begin < size; };
  // Blocks are mostly small and locks few: look at whichever is less.
  std::size_t erased = 0;
  if (size / kLockAlignment < locks_.size()) {
    for (std::uint64_t offset = 0; offset < size; offset += kLockAlignment)
      erased += locks_.erase(begin + offset);
  } else {
    erased = boost::unordered::erase_if(locks_, [&](const auto& entry) { return inside(entry.first); });
  }
  if (erased == 0) return;
  for (ThreadState& state : threads_)
    std::erase_if(state.held, [&](const Held& held) { return inside(held.lock); });
}

}  // namespace ravel
