#include "analysis/lock_cycles.h"

#include <algorithm>
#include <span>

namespace ravel {

bool LockCycles::consume(const Event& event, std::uint64_t stretch) {
  bool kept = false;
  if (event.thread.index() >= held_.size()) held_.resize(event.thread.index() + 1, LocksetTable::kEmpty);
  LocksetId& held = held_[event.thread.index()];
  const bool shared = event.kind == EventKind::AcquireShared;
  if ((shared || event.kind == EventKind::Acquire) && event.would_wait() && held != LocksetTable::kEmpty) {
    const Key key{std::uint64_t{event.thread.value} << 32 | event.lock().value,
                  std::uint64_t{held.value} << 32 | event.place.value, shared};
    const auto [known, fresh] = index_.try_emplace(key, static_cast<std::uint32_t>(dependencies_.size()));
    if (fresh) dependencies_.push_back({event.thread, event.lock(), shared, held, event.place, {}, 0});
    LockDependency& one = dependencies_[known->second];
    kept = fresh || one.stretch != stretch;
    one.stretch = stretch;
    if (kept) one.requests.push_back(mark_of(event.position));
  }
  held = event.held();
  return kept;
}

/// Depth first, each cycle from its dependency with the smallest index, one length after the other.
class LockCycles::Search {
 public:
  Search(const std::vector<LockDependency>& all, const LocksetTable& locksets)
      : all_(all), locksets_(locksets) {
    std::size_t locks = 0;
    for (const LockDependency& one : all) {
      locks = std::max(locks, one.lock.index() + 1);
      for (const HeldLock& held : locksets.locks(one.held)) locks = std::max(locks, held.lock.index() + 1);
    }
    holders_.resize(locks);
    next_.resize(locks);
    for (std::uint32_t i = 0; i < all.size(); ++i)
      for (const HeldLock& held : locksets.locks(all[i].held)) {
        holders_[held.lock.index()].push_back(i);
        next_[held.lock.index()].push_back(all[i].lock.value);
      }
    find_components();
  }

  std::vector<std::vector<std::uint32_t>> run() {
    std::vector<ThreadId> threads;
    threads.reserve(all_.size());
    for (const LockDependency& one : all_) threads.push_back(one.thread);
    std::ranges::sort(threads);
    const auto same = std::ranges::unique(threads);
    threads.erase(same.begin(), same.end());
    for (length_ = 2; length_ <= std::min(threads.size(), kLongest); ++length_) {
      for (std::uint32_t first = 0; first < all_.size(); ++first) {
        chain_ = {first};
        extend();
      }
    }
    return std::move(cycles_);
  }

 private:
  /// Strongly connected parts of the graph "asked for while held" (Tarjan 1972), without recursion.
  void find_components() {
    const std::size_t locks = next_.size();
    component_.assign(locks, 0);
    std::vector<std::uint32_t> number(locks), low(locks), stack;
    std::vector<bool> on_stack(locks);
    std::uint32_t count = 0, components = 0;
    struct Visit {
      std::uint32_t lock;
      std::size_t edge;
    };
    for (std::uint32_t root = 0; root < locks; ++root) {
      if (number[root] != 0) continue;
      std::vector<Visit> path = {{root, 0}};
      number[root] = low[root] = ++count;
      stack.push_back(root);
      on_stack[root] = true;
      while (!path.empty()) {
        const std::uint32_t lock = path.back().lock;
        if (path.back().edge < next_[lock].size()) {
          const std::uint32_t to = next_[lock][path.back().edge++];
          if (number[to] == 0) {
            number[to] = low[to] = ++count;
            stack.push_back(to);
            on_stack[to] = true;
            path.push_back({to, 0});
          } else if (on_stack[to]) {
            low[lock] = std::min(low[lock], number[to]);
          }
          continue;
        }
        path.pop_back();
        if (!path.empty()) low[path.back().lock] = std::min(low[path.back().lock], low[lock]);
        if (low[lock] != number[lock]) continue;
        ++components;
        std::uint32_t member = 0;
        do {
          member = stack.back();
          stack.pop_back();
          on_stack[member] = false;
          component_[member] = components;
        } while (member != lock);
      }
    }
  }

  /// Whether `a` asks for a lock that `b` holds in a way that makes it wait.
  bool waits_for(const LockDependency& a, const LockDependency& b) const {
    return std::ranges::any_of(locksets_.locks(b.held), [&](const HeldLock& held) {
      return held.lock == a.lock && !(held.shared && a.shared);
    });
  }

  bool together(const LockDependency& a, const LockDependency& b) const {
    if (a.thread == b.thread) return false;
    const auto locks = locksets_.locks(b.held);
    return std::ranges::none_of(locksets_.locks(a.held), [&](const HeldLock& mine) {
      return std::ranges::any_of(locks, [&](const HeldLock& other) {
        return mine.lock == other.lock && !(mine.shared && other.shared);
      });
    });
  }

  void extend() {
    if (cycles_.size() >= kMostCycles || steps_ >= kMostSteps) return;
    const LockDependency& last = all_[chain_.back()];
    if (chain_.size() == length_) {
      if (waits_for(last, all_[chain_.front()])) cycles_.push_back(chain_);
      return;
    }
    for (const std::uint32_t next : holders_[last.lock.index()]) {
      if (next <= chain_.front()) continue;
      ++steps_;
      const LockDependency& one = all_[next];
      if (component_[one.lock.index()] != component_[last.lock.index()] || !waits_for(last, one)) continue;
      if (!std::ranges::all_of(chain_, [&](std::uint32_t other) { return together(all_[other], one); }))
        continue;
      chain_.push_back(next);
      extend();
      chain_.pop_back();
    }
  }

  const std::vector<LockDependency>& all_;
  const LocksetTable& locksets_;
  std::vector<std::vector<std::uint32_t>> holders_;  ///< by lock: dependencies that hold it
  std::vector<std::vector<std::uint32_t>> next_;     ///< by lock: locks asked for while it is held
  std::vector<std::uint32_t> component_;             ///< by lock
  std::size_t length_ = 0;
  std::vector<std::uint32_t> chain_;
  std::vector<std::vector<std::uint32_t>> cycles_;
  std::size_t steps_ = 0;
};

std::vector<std::vector<std::uint32_t>> LockCycles::find(const LocksetTable& locksets) {
  return Search(dependencies_, locksets).run();
}

}  // namespace ravel
