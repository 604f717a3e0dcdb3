#include "witness/equivalents.h"

#include <vector>

namespace ravel {
namespace {

bool names_thread(const Event& event, const Event& other) {
  return (event.kind == EventKind::Fork || event.kind == EventKind::Join) &&
         event.other_thread() == other.thread;
}

/// Linear extensions of the order that conflicts give. Only the next event of a thread can come next, and
/// every choice leads to another sequence, so each is visited once.
class Extensions {
 public:
  Extensions(const SmallTrace& trace, std::uint64_t limit,
             const std::function<bool(std::span<const std::uint64_t>)>& visit)
      : trace_(trace),
        limit_(limit),
        visit_(visit),
        before_(trace.events.size()),
        after_(trace.events.size()) {
    for (std::size_t j = 0; j < trace.events.size(); ++j)
      for (std::size_t i = 0; i < j; ++i)
        if (conflict(trace.events[i], trace.events[j])) {
          after_[i].push_back(j);
          ++before_[j];
        }
  }

  EquivalentsCount run() {
    // Iterative: a long trace must not exhaust the stack. chosen[d] is the event at depth d.
    const std::size_t size = trace_.events.size();
    std::vector<std::size_t> chosen;
    std::vector<bool> done(size);
    std::size_t candidate = 0;
    while (true) {
      while (candidate < size && (done[candidate] || before_[candidate] != 0)) ++candidate;
      if (candidate < size) {
        done[candidate] = true;
        for (const std::size_t later : after_[candidate]) --before_[later];
        chosen.push_back(candidate);
        sequence_.push_back(trace_.events[candidate].position);
        candidate = 0;
        continue;
      }
      if (chosen.size() == size && !give()) return count_;
      if (chosen.empty()) return count_;
      candidate = chosen.back();
      chosen.pop_back();
      sequence_.pop_back();
      done[candidate] = false;
      for (const std::size_t later : after_[candidate]) ++before_[later];
      ++candidate;
    }
  }

 private:
  bool give() {
    if (count_.traces == limit_) {
      count_.complete = false;
      return false;
    }
    ++count_.traces;
    count_.complete = visit_(sequence_);
    return count_.complete;
  }

  const SmallTrace& trace_;
  const std::uint64_t limit_;
  const std::function<bool(std::span<const std::uint64_t>)>& visit_;
  std::vector<std::size_t> before_;  // by event: conflicting earlier events that are still to come
  std::vector<std::vector<std::size_t>> after_;  // by event: conflicting later events
  std::vector<std::uint64_t> sequence_;
  EquivalentsCount count_;
};

}  // namespace

bool conflict(const Event& a, const Event& b) {
  if (a.thread == b.thread || names_thread(a, b) || names_thread(b, a)) return true;
  if ((is_block(a) && uses_block(b, a)) || (is_block(b) && uses_block(a, b))) return true;
  // Two forks or joins of the same thread, such as a fork here and the join there.
  const bool same_target = target_space(a.kind) == target_space(b.kind) && a.target == b.target;
  switch (target_space(a.kind)) {
    case TargetSpace::Variable:
      return is_access(a.kind) && is_access(b.kind) && overlap(a, b) &&
             (is_write(a.kind) || is_write(b.kind));
    case TargetSpace::Lock: {
      const auto shared = [](EventKind kind) {
        return kind == EventKind::AcquireShared || kind == EventKind::ReleaseShared;
      };
      const bool request = a.kind == EventKind::Request || b.kind == EventKind::Request;
      return same_target && !request && !(shared(a.kind) && shared(b.kind));
    }
    case TargetSpace::Barrier:
      return same_target && a.kind != b.kind;
    case TargetSpace::Condition:
    case TargetSpace::Thread:
      return same_target;
    case TargetSpace::Unit:
    case TargetSpace::Range:
    case TargetSpace::None:
      return false;
  }
  return false;
}

EquivalentsCount for_each_equivalent(const SmallTrace& trace, std::uint64_t limit,
                                     const std::function<bool(std::span<const std::uint64_t>)>& visit) {
  return Extensions(trace, limit, visit).run();
}

}  // namespace ravel
