#include "analysis/syncp_accesses.h"

#include <algorithm>
#include <ranges>

namespace ravel {
namespace {

constexpr std::size_t kGroupCost = 8;
constexpr std::size_t kMarksPerAccess = sizeof(AlikeAccesses::Access) / sizeof(Mark);

}  // namespace

std::size_t AlikeAccesses::behind(Mark mark) const {
  // Mostly it is the last one.
  if (accesses.size() > 1 && accesses[accesses.size() - 2].mark <= mark && accesses.back().mark > mark)
    return accesses.size() - 1;
  return static_cast<std::size_t>(std::ranges::upper_bound(accesses, mark, {}, &Access::mark) -
                                  accesses.begin());
}

AlikeAccesses::AlikeAccesses(const AlikeAccesses& other)
    : place(other.place),
      held(other.held),
      kind(other.kind),
      last(other.last),
      last_reported(other.last_reported),
      section_of(other.section_of),
      section(other.section),
      older(other.older),
      newer(other.newer),
      accesses(other.accesses),
      tried(other.tried ? std::make_unique<Tried>(*other.tried) : nullptr) {}

AlikeAccesses::Tried& AlikeAccesses::results() {
  if (!tried) tried = std::make_unique<Tried>();
  return *tried;
}

bool AlikeAccesses::was_reported(const Reported& pair) const {
  return std::ranges::find(tried->reported, pair) != tried->reported.end();
}

void AlikeAccesses::set_reported(const Reported& pair) {
  if (last_reported) results().reported.push_back(*last_reported);
  last_reported = pair;
}

Mark AlikeAccesses::absorbed_by(LineId other) const {
  if (!tried) return 0;
  const auto found = tried->absorbed.find(other);
  return found != tried->absorbed.end() ? found->second : 0;
}

void AlikeAccesses::absorb(LineId other, Mark mark) {
  Mark& known = results().absorbed[other];
  known = std::max(known, mark);
}

std::uint32_t AccessesOfThread::find(const Event& event) const {
  std::uint32_t i = newest_;
  while (i != 0) {
    const AlikeAccesses& group = groups_[i - 1];
    if (group.place == event.place && group.held == event.held() && group.kind == event.kind) break;
    i = group.older;
  }
  return i;
}

void AccessesOfThread::unlink(std::uint32_t number) {
  const AlikeAccesses& group = groups_[number - 1];
  (group.newer != 0 ? groups_[group.newer - 1].older : newest_) = group.older;
  if (group.older != 0) groups_[group.older - 1].newer = group.newer;
}

void AccessesOfThread::link(std::uint32_t number) {
  groups_[number - 1].newer = 0;
  groups_[number - 1].older = newest_;
  if (newest_ != 0) groups_[newest_ - 1].newer = number;
  newest_ = number;
}

std::size_t AccessesOfThread::add(const Event& event, std::size_t history_size) {
  std::size_t cost = 0;
  std::uint32_t number = find(event);
  if (number == 0) {
    AlikeAccesses& fresh = groups_.emplace_back();
    fresh.place = event.place;
    fresh.held = event.held();
    fresh.kind = event.kind;
    number = static_cast<std::uint32_t>(groups_.size());
    cost += kGroupCost;
    link(number);
  } else if (number != newest_) {
    unlink(number);
    link(number);
  }
  AlikeAccesses& group = groups_[number - 1];
  const AlikeAccesses::Access access{mark_of(event.position), static_cast<std::uint32_t>(history_size),
                                     event.stack, event.ordinal};
  last = group.last = access.mark;
  // Without synchronization in between, the later access is in a race if the earlier one is.
  if (!group.accesses.empty() && group.accesses.back().size == access.size) {
    group.accesses.back() = access;
    return cost;
  }
  group.accesses.push_back(access);
  return cost + 1;
}

std::size_t AccessesOfThread::absorb(std::size_t other, Mark mark) {
  const std::size_t before = absorbed_.size() / kMarksPerAccess;
  if (other >= absorbed_.size()) absorbed_.resize(other + 1);
  absorbed_[other] = mark;
  return absorbed_.size() / kMarksPerAccess - before;
}

Involved AccessesOfThread::involved(const AlikeAccesses& group, const AlikeAccesses::Access& access) const {
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

void AccessesOfThread::forget(Mark oldest) {
  absorbed_ = {};
  for (AlikeAccesses& group : groups_) {
    const auto kept = std::ranges::lower_bound(group.accesses, oldest, {}, &AlikeAccesses::Access::mark);
    std::vector(kept, group.accesses.end()).swap(group.accesses);
  }
  std::erase_if(groups_, [](const AlikeAccesses& group) { return group.accesses.empty(); });
  const auto all = std::views::iota(1U, static_cast<std::uint32_t>(groups_.size()) + 1);
  std::vector<std::uint32_t> numbers(all.begin(), all.end());
  std::ranges::sort(numbers, {}, [this](std::uint32_t number) { return groups_[number - 1].last; });
  newest_ = 0;
  for (const std::uint32_t number : numbers) link(number);
}

std::size_t AccessesOfThread::cost() const {
  std::size_t total = absorbed_.size() / kMarksPerAccess;
  for (const AlikeAccesses& group : groups_) total += kGroupCost + group.accesses.size();
  return total;
}

std::size_t SyncpAccesses::add(ThreadId thread, LineId line) {
  constexpr std::size_t kFew = 8;
  if (threads_.size() <= kFew) {
    const auto found = std::ranges::find(threads_, thread, &AccessesOfThread::thread);
    if (found != threads_.end()) return static_cast<std::size_t>(found - threads_.begin());
    threads_.emplace_back(thread, line);
    if (threads_.size() > kFew)
      for (std::size_t i = 0; i < threads_.size(); ++i) numbers_[threads_[i].thread] = i;
    return threads_.size() - 1;
  }
  const auto [number, fresh] = numbers_.try_emplace(thread, threads_.size());
  if (fresh) threads_.emplace_back(thread, line);
  return number->second;
}

void SyncpAccesses::forget(Mark oldest) {
  for (AccessesOfThread& one : threads_) one.forget(oldest);
}

std::size_t SyncpAccesses::cost() const {
  std::size_t total = 0;
  for (const AccessesOfThread& one : threads_) total += one.cost();
  return total;
}

}  // namespace ravel
