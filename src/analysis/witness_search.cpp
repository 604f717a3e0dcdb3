#include "analysis/witness_search.h"

#include <algorithm>
#include <utility>

namespace ravel {

WitnessSearch::WitnessSearch(std::vector<WitnessGoal> goals, std::vector<Found>& found)
    : goals_(std::move(goals)), found_(found) {
  for (const WitnessGoal& goal : goals_)
    for (const std::uint64_t position : goal.events) thread_of_[position] = ThreadId();
}

void WitnessSearch::begin(const TraceContext& context, DetectionSink& /*sink*/) {
  order_.start(context);
  closure_ = std::make_unique<TraceClosure>(context);
}

void WitnessSearch::consume(std::span<const Event> batch) {
  if (!batch.empty() && batch.back().position > kLastPosition) return;
  order_.consume(batch);
  closure_->consume(batch);
  for (const Event& event : batch) {
    if (event.thread.index() >= threads_.size()) threads_.resize(event.thread.index() + 1);
    threads_[event.thread.index()] = event.thread;
    if (const auto wanted = thread_of_.find(event.position); wanted != thread_of_.end())
      wanted->second = event.thread;
  }
}

Analysis::Finish WitnessSearch::finish() {
  for (const WitnessGoal& goal : goals_) found_.push_back(find(goal));
  return Finish::Done;
}

WitnessSearch::Found WitnessSearch::find(const WitnessGoal& goal) {
  if (!order_.holds_before(goal.last()))
    return std::unexpected("the order of accesses is not known once the run has had a race");
  SyncClosure closure(closure_->history());
  std::vector<Reached> marks;
  for (const std::uint64_t position : goal.events) {
    const ThreadId thread = thread_of_[position];
    if (!thread.valid()) return std::unexpected("its events are not in the trace");
    marks.push_back({closure_->line(thread), mark_of(position)});
  }
  for (const Reached& mark : marks) closure.include({mark.line, before(mark.mark)});
  if (std::ranges::any_of(marks, [&](const Reached& mark) { return closure.has(mark); }))
    return std::unexpected("none keeps the order of critical sections");
  Cut cut(threads_.size());
  for (const ThreadId thread : threads_)
    if (thread.valid()) cut[thread.index()] = position_of(closure.in(closure_->line(thread)));
  return cut;
}

}  // namespace ravel
