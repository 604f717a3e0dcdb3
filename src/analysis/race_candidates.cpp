#include "analysis/race_candidates.h"

namespace ravel {

void RaceCandidates::consume(const Event& event) {
  switch (event.kind) {
    case EventKind::Read:
    case EventKind::Write:
    case EventKind::AtomicLoad:
    case EventKind::AtomicStore:
    case EventKind::AtomicRmw:
      return access(event);
    case EventKind::Split: {
      if (!lives_.split(event)) {
        at(event.variable()) = {};
        return;
      }
      State part = at(event.split_from());
      parts_.emplace_back(lives_.of(event.variable()), part.life);
      part.life = lives_.of(event.variable());
      if (part.phase == Phase::Candidate) mark(part.life);
      at(event.variable()) = part;
      return;
    }
    case EventKind::Retire:
      lives_.retire(event);
      at(event.variable()) = {};
      return;
    case EventKind::Fork:
    case EventKind::Join:
    case EventKind::BarrierEnter:
    case EventKind::BarrierExit:
      return clocks_.consume(event);
    default:
      return;
  }
}

void RaceCandidates::access(const Event& event) {
  State& state = at(event.variable());
  const bool write = is_write(event.kind);
  const bool plain = !is_atomic(event.kind);
  const SyncClocks::Now now = clocks_.now(event.thread);
  switch (state.phase) {
    case Phase::Candidate:
      return;
    case Phase::Fresh:
      state = {};
      state.life = lives_.of(event.variable());
      state.phase = Phase::Owned;
      state.common = protecting(event);
      break;
    case Phase::Owned:
      if (event.thread == state.last.thread()) {
        if (state.common != LocksetTable::kEmpty)
          state.common = locksets_.intersect(state.common, protecting(event));
        break;
      }
      if (now.clock.covers(state.last)) {
        state.base = state.last;
        state.common = protecting(event);
        state.written = state.plain = false;
        break;
      }
      state.phase = Phase::Shared;
      [[fallthrough]];
    case Phase::Shared:
      if (state.common != LocksetTable::kEmpty)
        state.common = locksets_.intersect(state.common, protecting(event));
      break;
  }
  state.last = now.epoch;
  state.written |= write;
  state.plain |= plain;
  state.ever_written |= write;
  if (state.phase != Phase::Shared) return;
  const bool unordered = !now.clock.covers(state.base) && state.ever_written;
  const bool unprotected = state.written && state.plain && state.common == LocksetTable::kEmpty;
  if (!unordered && !unprotected) return;
  state.phase = Phase::Candidate;
  mark(state.life);
}

void RaceCandidates::mark(std::uint32_t life) {
  if (life >= candidates_.size()) candidates_.resize(life + 1 + life / 2);
  candidates_[life] = true;
}

std::vector<bool> RaceCandidates::take() {
  // What happened to a part before it was one is remembered with the whole. Parts come after their wholes.
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part)
    if (part->first < candidates_.size() && candidates_[part->first]) mark(part->second);
  return std::move(candidates_);
}

}  // namespace ravel
