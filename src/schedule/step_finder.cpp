#include "schedule/step_finder.h"

namespace ravel {
namespace {

/// The events that an operation may be recorded as.
KindMask events_of(OperationKind operation) {
  switch (operation) {
    case OperationKind::Lock:
    case OperationKind::TryLock:
      return KindMask::of(EventKind::Request, EventKind::Acquire);
    case OperationKind::LockShared:
    case OperationKind::TryLockShared:
      return KindMask::of(EventKind::Request, EventKind::AcquireShared);
    case OperationKind::Unlock:
      return KindMask::of(EventKind::Release);
    case OperationKind::UnlockShared:
      return KindMask::of(EventKind::ReleaseShared);
    case OperationKind::Wait:
      return KindMask::of(EventKind::WaitBegin, EventKind::Release, EventKind::Acquire, EventKind::WaitEnd);
    case OperationKind::NotifyOne:
      return KindMask::of(EventKind::Notify);
    case OperationKind::NotifyAll:
      return KindMask::of(EventKind::NotifyAll);
    case OperationKind::BarrierWait:
      return KindMask::of(EventKind::BarrierEnter, EventKind::BarrierExit);
    case OperationKind::SemaphoreWait:
    case OperationKind::SemaphorePost:
    case OperationKind::Contribute:
      return KindMask::of(EventKind::AtomicRmw);
    case OperationKind::Publish:
      return KindMask::of(EventKind::AtomicStore);
    case OperationKind::Observe:
      return KindMask::of(EventKind::AtomicLoad);
    case OperationKind::Create:
      return KindMask::of(EventKind::Fork);
    case OperationKind::Join:
      return KindMask::of(EventKind::Join);
    case OperationKind::Read:
      return KindMask::of(EventKind::Read, EventKind::RetroRead);
    case OperationKind::Write:
      return KindMask::of(EventKind::Write, EventKind::RetroWrite);
    case OperationKind::Atomic:
      return kAtomicAccesses | KindMask::of(EventKind::Fence);
    case OperationKind::Start:
      return KindMask::of(EventKind::ThreadStart);
    case OperationKind::Exit:
      return KindMask::of(EventKind::ThreadExit);
    case OperationKind::FutexWait:
    case OperationKind::FutexWake:
    case OperationKind::Sleep:
    case OperationKind::Yield:
    case OperationKind::Block:
      return {};
  }
  return {};
}

/// false: no hexadecimal digit.
bool hex_digit(char c, std::uint32_t& out) {
  if (c >= '0' && c <= '9') {
    out = static_cast<std::uint32_t>(c - '0');
  } else if (c >= 'a' && c <= 'f') {
    out = static_cast<std::uint32_t>(c - 'a' + 10);
  } else {
    return false;
  }
  return true;
}

/// Takes an address from the front of `text`. 0: there is none.
std::uint32_t take_address(std::string_view& text) {
  std::uint32_t address = 0;
  std::uint32_t digit = 0;
  while (!text.empty() && hex_digit(text.front(), digit)) {
    if (address >> 28 != 0) return 0;
    address = address << 4 | digit;
    text.remove_prefix(1);
  }
  return address;
}

/// "@1f3a,1f40". `out` stays empty if the text is anything else. false: out of memory.
bool parse_addresses(std::string_view text, Arena& arena, std::span<const std::uint32_t>& out) {
  ArenaVector<std::uint32_t> addresses(arena);
  char expected = '@';
  while (!text.empty()) {
    if (text.front() != expected) return true;
    text.remove_prefix(1);
    const std::uint32_t address = take_address(text);
    if (address == 0) return true;
    if (!addresses.push_back(address)) return false;
    expected = ',';
  }
  out = addresses.values();
  return true;
}

}  // namespace

bool StepFinder::begin(const Step& step, Arena& arena) {
  step_ = step;
  return step.counted() || parse_addresses(step.place, arena, addresses_);
}

bool StepFinder::is_next(const Candidate& candidate) const {
  if (step_.counted()) return same_counts(candidate) && matches_kind(candidate);
  return matches_place(candidate) && seen_ + 1 == step_.occurrence;
}

bool StepFinder::is_other(const Candidate& candidate) const {
  return step_.counted() && !is_passing(candidate.next) && same_counts(candidate) && !matches_kind(candidate);
}

bool StepFinder::is_behind(const Candidate& candidate) const {
  if (!step_.counted()) return false;
  // A schedule may have thousands of steps that lie far ahead: numbers are compared first.
  if (candidate.syncs < step_.syncs) return false;
  if (candidate.syncs == step_.syncs && candidate.ordinal <= step_.ordinal) return false;
  return candidate.path == step_.thread;
}

bool StepFinder::same_counts(const Candidate& candidate) const {
  return candidate.syncs == step_.syncs && candidate.ordinal == step_.ordinal &&
         candidate.path == step_.thread;
}

bool StepFinder::matches_place(const Candidate& candidate) const {
  if (!step_.thread.text.empty() && candidate.path != step_.thread) return false;
  if (!matches_kind(candidate)) return false;
  for (const std::uint32_t address : addresses_) {
    if (address == candidate.place) return true;
  }
  return false;
}

bool StepFinder::matches_kind(const Candidate& candidate) const {
  return !step_.has_kind || events_of(candidate.next).has(step_.kind);
}

}  // namespace ravel
