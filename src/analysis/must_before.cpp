#include "analysis/must_before.h"

#include <algorithm>
#include <utility>

namespace ravel {

MustBefore::ThreadState& MustBefore::state(ThreadId thread) {
  if (thread.index() >= threads_.size()) threads_.resize(thread.index() + 1);
  ThreadState& self = threads_[thread.index()];
  if (self.C[thread] == 0) self.C.set(thread, 1);
  return self;
}

MustBefore::Variable& MustBefore::at(VariableId variable) {
  if (variable.index() >= variables_.size())
    variables_.resize(std::max(variable.index() + 1, variables_.size() * 2));
  return variables_[variable.index()];
}

void MustBefore::join(ThreadState& self, const VectorClock& clock) {
  if (self.C.join(clock)) self.snapshot.reset();
}

void MustBefore::join(ThreadState& self, const Access& access) {
  const Epoch own = access.clock.own;
  // Who knows an event knows all that is before it.
  if (self.C.covers(own)) return;
  if (access.clock.others) self.C.join(access.clock.others->K);
  if (self.C[own.thread()] < own.time()) self.C.set(own.thread(), own.time());
  self.snapshot.reset();
}

MustBefore::Clock MustBefore::now(ThreadId thread) {
  ThreadState& self = state(thread);
  if (!self.snapshot) {
    const auto made = std::make_shared<Snapshot>(Snapshot{thread, self.C});
    snapshots_.push_back(made);
    self.snapshot = made;
  }
  return {Epoch(thread, self.C[thread]), self.snapshot};
}

void MustBefore::increment(ThreadId thread) {
  ThreadState& self = state(thread);
  self.C.set(thread, self.C[thread] + 1);
}

void MustBefore::synchronize(const Event& event) {
  const ThreadId t = event.thread;
  const bool step = late_ && kTimeSteps.has(event.kind);
  if (step) end_recorded_time(t);
  switch (event.kind) {
    case EventKind::Acquire:
    case EventKind::AcquireShared:
      acquire(event);
      break;
    case EventKind::Release:
    case EventKind::ReleaseShared:
      release(event);
      break;
    case EventKind::Fork: {
      const VectorClock C = state(t).C;
      increment(t);
      join(state(event.other_thread()), C);
      increment(event.other_thread());
      break;
    }
    case EventKind::Join: {
      // [MB JOIN] increments the other thread's clock, too; but it has ended, and only accesses that are
      // reported late would get the new time.
      const VectorClock C = state(event.other_thread()).C;
      join(state(t), C);
      increment(t);
      break;
    }
    case EventKind::Notify:
    case EventKind::NotifyAll: {
      VectorClock& N = N_[event.lock()];
      join(state(t), N);
      increment(t);
      N = state(t).C;
      break;
    }
    case EventKind::WaitEnd:
      if (const auto notified = N_.find(event.lock()); notified != N_.end()) join(state(t), notified->second);
      increment(t);
      break;
    case EventKind::BarrierEnter:
    case EventKind::BarrierExit:
      barrier(event);
      break;
    default:
      break;
  }
  if (step) increment(t);
}

// [MB ACQUIRE], with A_m after the increment.
void MustBefore::acquire(const Event& event) {
  ThreadState& self = state(event.thread);
  increment(event.thread);
  self.snapshot.reset();  // an extra edge may end here: what came before shares no clock with what follows
  self.open.push_back({event.lock(), event.kind == EventKind::AcquireShared, now(event.thread), ++acquires_});
  ++open_count_;
}

// [MB RELEASE]
void MustBefore::release(const Event& event) {
  ThreadState& self = state(event.thread);
  std::size_t i = self.open.size();
  while (i > 0 && self.open[i - 1].lock != event.lock()) --i;
  if (i == 0) return;  // the trace began within the section
  const Ended section{event.lock(), self.open[i - 1], now(event.thread)};
  self.open.erase(self.open.begin() + static_cast<std::ptrdiff_t>(i - 1));
  --open_count_;
  VectorClock acquired = section.opened.acquired.others->K;
  acquired.set(event.thread, section.opened.acquired.own.time());
  condition_3(section, acquired, self.C);
  ended_.push_back(section);
  if (event.lock().index() >= H_.size()) H_.resize(event.lock().index() + 1);
  std::vector<Section>& all = H_[event.lock().index()][event.thread];
  constexpr std::size_t kMaxSections = 1024;
  if (all.size() == kMaxSections) all.erase(all.begin(), all.begin() + kMaxSections / 2);
  all.push_back({section.opened.acquired.own.time(), section.released, section.opened.shared});
}

void MustBefore::barrier(const Event& event) {
  ThreadState& self = state(event.thread);
  Barrier& b = barriers_[event.lock()];
  if (event.kind == EventKind::BarrierEnter) {
    if (b.rounds.empty() || b.rounds.back().closed) b.rounds.emplace_back();
    b.entered[event.thread] = b.first + b.rounds.size() - 1;
    ++b.rounds.back().inside;
    increment(event.thread);
    b.rounds.back().arrivals.join(self.C);
    return;
  }
  const auto entered = b.entered.find(event.thread);
  if (entered == b.entered.end()) return;
  Barrier::Round& round = b.rounds[entered->second - b.first];
  b.entered.erase(entered);
  round.closed = true;
  --round.inside;
  join(self, round.arrivals);
  increment(event.thread);
  for (; !b.rounds.empty() && b.rounds.front().closed && b.rounds.front().inside == 0; ++b.first)
    b.rounds.pop_front();
}

void MustBefore::end_recorded_time(ThreadId thread) {
  constexpr std::size_t kTimes = 4096;
  const Clock end = now(thread);
  ThreadState& self = state(thread);
  if (self.recorded.size() < kTimes)
    self.recorded.push_back(end);
  else
    self.recorded[self.steps % kTimes] = end;
  ++self.steps;
}

void MustBefore::late_access(const Event& event) {
  ThreadState& self = state(event.thread);
  const std::uint64_t recorded = event.value;
  if (recorded == 0 || recorded + self.recorded.size() <= self.steps) return;  // too long ago
  const Clock clock =
      recorded > self.steps ? now(event.thread) : self.recorded[(recorded - 1) % self.recorded.size()];
  record(event, clock);
}

void MustBefore::suspect(const Access& first, const Event& second) {
  ThreadState& self = state(second.thread);
  if (first.clock.none() || self.C.covers(first.clock.own)) return;
  if (first.atomic && is_atomic(second.kind)) return;
  B_.push_back({first.clock.own, first.involved, Involved(second), second.variable(), now(second.thread)});
}

void MustBefore::check(const Event& event) {
  const Variable& x = at(event.variable());
  suspect(x.write, event);
  if (x.write.atomic) suspect(x.plain_write, event);
  if (is_write(event.kind))
    for (const Access& read : x.reads) suspect(read, event);
}

void MustBefore::record(const Event& event, const Clock& clock) {
  Variable& x = at(event.variable());
  const Access access{clock, Involved(event), is_atomic(event.kind)};
  if (is_write(event.kind)) {
    if (x.write.clock.own == clock.own) return;
    if (access.atomic && !x.write.atomic) x.plain_write = x.write;
    x.write = access;
    x.stale_reads = true;
    return;
  }
  // Plain reads may still race with an atomic write behind another one.
  if (x.stale_reads && !x.write.atomic) x.reads.clear();
  x.stale_reads = false;
  const auto key = [](const Access& read) { return std::pair(read.clock.own.thread(), read.atomic); };
  const auto mine = std::ranges::lower_bound(x.reads, key(access), {}, key);
  if (mine == x.reads.end() || key(*mine) != key(access))
    x.reads.insert(mine, access);
  else
    *mine = access;
}

// [MB READ], [MB WRITE] and their volatile forms.
void MustBefore::access(std::span<const Event> parts) {
  const ThreadId t = parts.front().thread;
  if (kRetroAccesses.has(parts.front().kind)) {
    for (const Event& part : parts)
      if (is_access(part.kind)) late_access(part);
    return;
  }
  const bool step = late_ && kTimeSteps.has(parts.front().kind);
  if (step) end_recorded_time(t);
  for (const Event& part : parts) {
    if (part.kind == EventKind::Split) lifetime(part);
    if (is_access(part.kind)) check(part);
  }
  for (const Event& part : parts) {
    if (!is_access(part.kind)) continue;
    const Variable& x = at(part.variable());
    join(state(t), x.write);
    if (is_write(part.kind))
      for (const Access& read : x.reads) join(state(t), read);
  }
  increment(t);
  const Clock clock = now(t);
  for (const Event& part : parts) {
    if (is_access(part.kind)) record(part, clock);
    if (part.kind == EventKind::Retire) lifetime(part);
  }
  if (step) increment(t);
}

void MustBefore::lifetime(const Event& event) {
  if (event.kind == EventKind::Split) {
    const Variable whole = at(event.split_from());
    at(event.variable()) = whole;
  } else {
    at(event.variable()) = {};
  }
}

bool MustBefore::condition_3(const Ended& section, const VectorClock& acquired, const VectorClock& released) {
  if (section.lock.index() >= H_.size()) return false;
  bool grew = false;
  for (const auto& [u, sections] : H_[section.lock.index()]) {
    if (u == section.released.own.thread() || sections.back().released.own.time() <= acquired[u]) continue;
    auto k = std::ranges::upper_bound(sections, released[u], {}, &Section::acquired);
    while (k != sections.begin() && section.opened.shared && std::prev(k)->shared) --k;
    if (k == sections.begin()) continue;
    --k;
    if (k->released.own.time() <= acquired[u]) continue;
    E_.push_back({k->released, section.opened.acquired.own, section.opened.order});
    grew = true;
  }
  return grew;
}

// Adds up E: for each thread with extra edges, everything that is before its acquires because of them. An
// edge comes from before its acquire, so those that it needs itself end at earlier acquires.
void MustBefore::sweep() {
  for (const ThreadId t : targets_) into_[t.index()] = {};
  targets_.clear();
  std::ranges::sort(E_, {}, &Edge::order);
  for (const Edge& edge : E_) {
    VectorClock K = adjust(edge.release);
    const ThreadId t = edge.acquire.thread();
    if (t.index() >= into_.size()) into_.resize(t.index() + 1);
    Into& into = into_[t.index()];
    if (into.times.empty()) {
      targets_.push_back(t);
    } else {
      K.join(into.clocks.back());
      if (into.times.back() == edge.acquire.time()) {
        into.clocks.back() = std::move(K);
        continue;
      }
    }
    into.times.push_back(edge.acquire.time());
    into.clocks.push_back(std::move(K));
  }
}

// The clocks in into_ know all edges into what they cover, so once around is enough.
void MustBefore::adjust(VectorClock& K) const {
  for (const ThreadId t : targets_) {
    const Into& into = into_[t.index()];
    const auto after = std::ranges::upper_bound(into.times, K[t]);
    if (after != into.times.begin())
      K.join(into.clocks[static_cast<std::size_t>(after - into.times.begin() - 1)]);
  }
}

VectorClock MustBefore::adjust(const Clock& clock) const {
  VectorClock K;
  if (clock.others) K = clock.others->K;
  K.set(clock.own.thread(), clock.own.time());
  adjust(K);
  return K;
}

std::vector<MustBefore::Pair> MustBefore::settle() {
  for (std::size_t i = 0; i < threads_.size(); ++i)
    for (const Open& open : threads_[i].open) ended_.push_back({open.lock, open, now(ThreadId(i))});
  // Without extra edges there is nothing to adjust, and the releases have asked for theirs.
  bool grew = !E_.empty() || open_count_ > 0;
  while (grew) {
    grew = false;
    sweep();
    for (const Ended& section : ended_)
      grew |= condition_3(section, adjust(section.opened.acquired), adjust(section.released));
  }
  std::erase_if(B_, [&](const Pair& pair) { return adjust(pair.before).covers(pair.first_when); });
  if (!E_.empty()) adjust_for_good();
  E_.clear();
  ended_.clear();
  snapshots_.clear();
  return std::exchange(B_, {});
}

void MustBefore::adjust_for_good() {
  for (const auto& snapshot : snapshots_) adjust(snapshot->K);
  for (ThreadState& self : threads_) {
    if (self.C.empty()) continue;
    adjust(self.C);
    self.snapshot.reset();
  }
  for (auto& [condition, N] : N_) adjust(N);
  for (auto& [lock, barrier] : barriers_)
    for (Barrier::Round& round : barrier.rounds) adjust(round.arrivals);
}

std::span<const MustBefore::Section> MustBefore::H(LockId lock, ThreadId thread) const {
  if (lock.index() >= H_.size()) return {};
  const auto found = H_[lock.index()].find(thread);
  return found == H_[lock.index()].end() ? std::span<const Section>() : found->second;
}

const MustBefore::Open* MustBefore::A(LockId lock) const {
  for (const ThreadState& self : threads_)
    for (const Open& open : self.open)
      if (open.lock == lock) return &open;
  return nullptr;
}

}  // namespace ravel
