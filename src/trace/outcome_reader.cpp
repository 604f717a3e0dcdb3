#include "trace/outcome_reader.h"

namespace ravel {
namespace {

constexpr KindMask kTakes = KindMask::of(EventKind::Acquire, EventKind::AcquireShared);
constexpr KindMask kWants =
    KindMask::of(EventKind::Request, EventKind::WaitBegin, EventKind::BarrierEnter) | kTakes;

}  // namespace

Result<void> OutcomeReader::next(std::vector<Event>& batch) {
  if (auto read = source_->next(batch); !read) return read;
  for (const Event& event : batch) {
    if (!kWants.has(event.kind)) continue;
    (kTakes.has(event.kind) ? taken_ : wanted_)[{event.thread, event.address()}] = {
        .event = event.position, .place = event.place, .stack = event.stack};
  }
  if (!batch.empty()) return {};
  outcome_ = source_->outcome();
  for (RunOutcome::Claim& claim : outcome_.waiting) add_event(wanted_, claim);
  for (RunOutcome::Claim& claim : outcome_.holding) add_event(taken_, claim);
  return {};
}

Result<void> OutcomeReader::rewind() {
  wanted_.clear();
  taken_.clear();
  return source_->rewind();
}

void OutcomeReader::add_event(const Events& events, RunOutcome::Claim& claim) {
  const auto found = events.find({claim.thread, claim.object});
  // At another place it is another operation, which the recorder does not tell about.
  if (found == events.end() || (claim.place.valid() && claim.place != found->second.place)) return;
  claim.event = found->second.event;
  claim.place = found->second.place;
  claim.stack = found->second.stack;
}

}  // namespace ravel
