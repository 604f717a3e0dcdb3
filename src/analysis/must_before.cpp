#include "analysis/must_before.h"

#include <algorithm>
#include <utility>

#include "analysis/stretches.h"

namespace ravel {
namespace {

/// A stretch takes memory beyond its times.
std::size_t cost(const VectorClock& clock) { return clock.size() + 16; }

}  // namespace

MustBefore::Variable& MustBefore::at(VariableId variable) {
  if (variable.index() >= variables_.size())
    variables_.resize(std::max(variable.index() + 1, variables_.size() * 2));
  return variables_[variable.index()];
}

// From the end on, because most of what is asked about is not long ago.
const VectorClock& MustBefore::K(Epoch when) const {
  const std::vector<Stretch>& all = threads_[when.thread().index()].stretches;
  std::size_t end = all.size(), back = 1;
  while (back < end && all[end - back].from > when.time()) {
    end -= back;
    back *= 2;
  }
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(back < end ? end - back : 0);
  const auto last = all.begin() + static_cast<std::ptrdiff_t>(end);
  return std::prev(std::ranges::upper_bound(first, last, when.time(), {}, &Stretch::from))->K;
}

void MustBefore::raise(VectorClock& clock, Epoch from) const {
  clock.join(K(from));
  if (clock[from.thread()] < from.time()) clock.set(from.thread(), from.time());
}

/// With the thread's next event.
void MustBefore::begin_stretch(ThreadId thread) {
  ThreadState& self = state(thread);
  if (self.stretches.back().from <= self.now) {
    self.stretches.push_back({self.now + 1, self.stretches.back().K});
    window_times_ += cost(self.stretches.back().K);
  } else if (self.begun != kNever) {
    return;  // nothing has happened in it
  }
  self.begun = static_cast<std::uint32_t>(steps_.size());
  steps_.push_back({Step::Kind::Begin, thread, static_cast<std::uint32_t>(self.stretches.size() - 1), {}});
}

/// What is before an event of another thread is before the thread's next event, too.
void MustBefore::learn(ThreadId thread, Epoch from) {
  // Who knows an event knows all that is before it.
  if (from.none() || from.thread() == thread || state(thread).stretches.back().K.covers(from)) return;
  ThreadState& other = state(from.thread());
  other.published = std::max(other.published, from.time());
  begin_stretch(thread);
  std::vector<Stretch>& stretches = state(thread).stretches;
  steps_.push_back({Step::Kind::Learn, thread, static_cast<std::uint32_t>(stretches.size() - 1), from});
  raise(stretches.back().K, from);
}

/// A recorder that tells plain accesses late drops repetitions at one of its times: the last may have been
/// later.
void MustBefore::learn_access(ThreadId thread, const Access& access) {
  const ThreadId other = access.when.thread();
  if (!late_ || access.when.none() || is_atomic(access.involved.kind) || other == thread)
    return learn(thread, access.when);
  learn(thread, {other, recorder_.around(other, access.when.time(), state(other).now).second});
}

void MustBefore::synchronize(const Event& event) {
  const ThreadId t = event.thread;
  const bool step = kTimeSteps.has(event.kind);
  const Time begin = state(t).now + 1;
  if (step) recorder_.step(t, begin);
  switch (event.kind) {
    case EventKind::Acquire:
    case EventKind::AcquireShared:
      acquire(event);
      break;
    case EventKind::Release:
    case EventKind::ReleaseShared:
      release(event);
      break;
    case EventKind::Fork:
      learn(event.other_thread(), {t, state(t).now});
      ++state(event.other_thread()).now;
      ++state(t).now;
      break;
    case EventKind::Join:
      // [MB JOIN] increments the other thread's clock, too; but it has ended.
      learn(t, {event.other_thread(), state(event.other_thread()).now});
      ++state(t).now;
      break;
    case EventKind::Notify:
    case EventKind::NotifyAll: {
      Epoch& N = N_[event.lock()];
      learn(t, N);
      N = {t, ++state(t).now};
      break;
    }
    case EventKind::WaitEnd:
      if (const auto notified = N_.find(event.lock()); notified != N_.end()) learn(t, notified->second);
      ++state(t).now;
      break;
    case EventKind::BarrierEnter:
    case EventKind::BarrierExit:
      barrier(event);
      break;
    case EventKind::Elapse:
      recorder_.elapse(t, begin, event.value);
      state(t).now += static_cast<Time>(1 + RecorderTimes::duration(event.value));
      break;
    case EventKind::After: {
      const ThreadId other = event.other_thread();
      if (event.order == MemoryOrder::Relaxed) break;
      learn(t, {other, recorder_.end(other, static_cast<Time>(event.value), state(other).now)});
      break;
    }
    default:
      break;
  }
  if (step && late_) state(t).now = std::max(state(t).now, begin) + 1;
}

// [MB ACQUIRE], with A_m after the increment. An edge may end here, so nothing before is in its stretch.
void MustBefore::acquire(const Event& event) {
  begin_stretch(event.thread);
  ThreadState& self = state(event.thread);
  ++self.now;
  self.open.push_back({.lock = event.lock(),
                       .shared = event.kind == EventKind::AcquireShared,
                       .acquired = Epoch(event.thread, self.now),
                       .stretch = static_cast<std::uint32_t>(self.stretches.size() - 1),
                       .step = self.begun});
  ++open_count_;
}

// [MB RELEASE]
void MustBefore::release(const Event& event) {
  ThreadState& self = state(event.thread);
  std::size_t i = self.open.size();
  while (i > 0 && self.open[i - 1].lock != event.lock()) --i;
  if (i == 0) return;  // the trace began within the section
  const Ended section{self.open[i - 1], Epoch(event.thread, self.now),
                      static_cast<std::uint32_t>(self.stretches.size() - 1)};
  self.open.erase(self.open.begin() + static_cast<std::ptrdiff_t>(i - 1));
  --open_count_;
  condition_3(section);
  self.released = section.stretch;
  steps_.push_back({Step::Kind::Release, event.thread, static_cast<std::uint32_t>(ended_.size()), {}});
  ended_.push_back(section);
  keep(section);
}

void MustBefore::keep(const Ended& section) {
  const LockId lock = section.opened.lock;
  if (lock.index() >= H_.size()) H_.resize(lock.index() + 1);
  History& H = H_[lock.index()];
  const ThreadId t = section.released.thread();
  H.sections[t][section.opened.shared ? 1 : 0].push_back(
      {section.opened.acquired.time(), section.released.time(), ++H.count});
  if (t.index() >= H.released.size()) {
    H.released.resize(t.index() + 1);
    H.acquired.resize(t.index() + 1, std::numeric_limits<Time>::max());
  }
  H.released[t.index()] = section.released.time();
  H.acquired[t.index()] = std::min(H.acquired[t.index()], section.opened.acquired.time());
  if (++sections_ <= kMaxSections) return;
  sections_ = 0;
  for (History& each : H_)
    for (auto& [thread, sections] : each.sections)
      for (std::vector<Section>& all : sections) {
        all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
        sections_ += all.size();
      }
}

void MustBefore::barrier(const Event& event) {
  const ThreadId t = event.thread;
  Barrier& b = barriers_[event.lock()];
  if (event.kind == EventKind::BarrierEnter) {
    if (b.rounds.empty() || !b.rounds.back().together.none()) b.rounds.emplace_back();
    b.entered[t] = b.first + b.rounds.size() - 1;
    ++b.rounds.back().inside;
    b.rounds.back().arrivals.emplace_back(t, ++state(t).now);
    return;
  }
  const auto entered = b.entered.find(t);
  if (entered == b.entered.end()) return;  // the trace began while the thread was inside
  Barrier::Round& round = b.rounds[entered->second - b.first];
  b.entered.erase(entered);
  --round.inside;
  for (const Epoch arrival : round.arrivals) learn(t, arrival);
  learn(t, round.together);
  const Time now = ++state(t).now;
  if (round.together.none()) {
    round.together = Epoch(t, now);
    round.arrivals.clear();
  }
  for (; !b.rounds.empty() && !b.rounds.front().together.none() && b.rounds.front().inside == 0; ++b.first)
    b.rounds.pop_front();
}

void MustBefore::suspect(const Access& first, const Event& second, const ThreadState& self) {
  if (first.when.thread() == second.thread || self.stretches.back().K.covers(first.when)) [[likely]]
    return;
  if (is_atomic(first.involved.kind) && is_atomic(second.kind)) return;
  B_.push_back(
      {first.when, first.involved, Involved(second), second.variable(), Epoch(second.thread, self.now)});
}

void MustBefore::check(const Event& event, const Variable& x, const ThreadState& self) {
  suspect(x.write, event, self);
  if (is_write(event.kind)) suspect(x.read, event, self);
  for (const Access& other : x.others)
    if (is_write(event.kind) || is_write(other.involved.kind)) suspect(other, event, self);
}

void MustBefore::record(const Event& event, Epoch when) {
  Variable& x = at(event.variable());
  const Access access{when, Involved(event)};
  if (!is_write(event.kind)) return record_read(x, access);
  if (x.write.when == when) return;
  if (is_atomic(event.kind) && !x.write.when.none() && !is_atomic(x.write.involved.kind)) put(x, x.write);
  x.write = access;
  x.stale = !kRetroAccesses.has(event.kind);  // a late write may be older than a late read
}

void MustBefore::record_read(Variable& x, const Access& read) {
  const bool atomic = is_atomic(read.involved.kind);
  // Behind an atomic write they may still race with an atomic access.
  if (x.stale && !is_atomic(x.write.involved.kind)) {
    x.read = {};
    x.others.clear();
  }
  x.stale = false;
  // Who knows this read knows what it knew, and who does not races with it, unless both are atomic.
  const Epoch last = x.read.when;
  const bool known =
      last.thread() == read.when.thread() ? last.time() <= read.when.time() : K(read.when).covers(last);
  if (!last.none() && (!known || (atomic && !is_atomic(x.read.involved.kind)))) put(x, x.read);
  x.read = read;
}

void MustBefore::put(Variable& x, const Access& other) {
  const auto key = [](const Access& each) {
    const EventKind kind = each.involved.kind;
    return std::pair(each.when.thread(), is_write(kind) ? 2 : is_atomic(kind) ? 1 : 0);
  };
  const auto at = std::ranges::lower_bound(x.others, key(other), {}, key);
  if (at == x.others.end() || key(*at) != key(other))
    x.others.insert(at, other);
  else
    *at = other;
}

// [MB READ], [MB WRITE] and their volatile forms.
void MustBefore::access(std::span<const Event> parts) {
  const ThreadId t = parts.front().thread;
  if (kRetroAccesses.has(parts.front().kind)) {
    for (const Event& part : parts)
      if (is_access(part.kind))
        record(part, {t, recorder_.last(t, static_cast<Time>(part.value), state(t).now)});
    return;
  }
  const bool step = kTimeSteps.has(parts.front().kind);
  if (step) recorder_.step(t, state(t).now + 1);  // the time of the access
  for (const Event& part : parts) {
    if (part.kind == EventKind::Split) lifetime(part);
    if (is_access(part.kind)) check(part, at(part.variable()), state(t));
  }
  for (const Event& part : parts) {
    if (!is_access(part.kind)) continue;
    const Variable& x = at(part.variable());
    learn_access(t, x.write);
    if (!is_write(part.kind)) continue;
    learn_access(t, x.read);
    for (const Access& other : x.others) learn_access(t, other);
  }
  const Epoch now(t, ++state(t).now);
  for (const Event& part : parts) {
    if (is_access(part.kind)) record(part, now);
    if (part.kind == EventKind::Retire) lifetime(part);
  }
  if (step && late_) ++state(t).now;
}

void MustBefore::lifetime(const Event& event) {
  if (event.kind == EventKind::Split) {
    Variable whole = at(event.split_from());
    at(event.variable()) = std::move(whole);
  } else {
    at(event.variable()) = {};
  }
}

/// The edges into the section that its clocks ask for and do not know.
void MustBefore::condition_3(const Ended& section) {
  const Open& h = section.opened;
  if (h.lock.index() >= H_.size()) return;
  const History& H = H_[h.lock.index()];
  const ThreadId t = section.released.thread();
  const VectorClock& before = threads_[t.index()].stretches[h.stretch].K;
  const VectorClock& after = threads_[t.index()].stretches[section.stretch].K;
  // The latest first: it mostly knows the others.
  while (true) {
    const Section* latest = nullptr;
    Epoch release;
    for (std::size_t i = 0; i < H.released.size(); ++i) {
      const ThreadId u(i);
      if (after[u] < H.acquired[i] || H.released[i] <= before[u] || u == t) continue;
      const auto& sections = H.sections.find(u)->second;
      for (const std::vector<Section>& all : std::span(sections).first(h.shared ? 1 : 2)) {
        const auto k = std::ranges::upper_bound(all, after[u], {}, &Section::acquired);
        if (k == all.begin() || std::prev(k)->released <= before[u]) continue;
        if (latest != nullptr && latest->number > std::prev(k)->number) continue;
        latest = &*std::prev(k);
        release = Epoch(u, latest->released);
      }
    }
    if (latest == nullptr) return;
    add_edge(release, section);
  }
}

void MustBefore::add_edge(Epoch release, const Ended& section) {
  const Open& h = section.opened;
  E_.push_back({release, h.acquired, h.step});
  ThreadState& self = threads_[section.released.thread().index()];
  ThreadState& other = threads_[release.thread().index()];
  for (std::uint32_t i = h.stretch; i <= section.stretch; ++i) raise(self.stretches[i].K, release);
  other.published = std::max(other.published, release.time());
  // Others may have learned too little, and a section within this one may ask for more edges.
  if (self.published >= self.stretches[h.stretch].from || self.released >= h.stretch)
    repeat_from_ = std::min(repeat_from_, h.step);
}

/// Everybody learns again, from where clocks have risen since.
void MustBefore::repeat() {
  const std::uint32_t from = std::exchange(repeat_from_, kNever);
  std::vector<Edge> edges(E_);
  std::ranges::sort(edges, {}, &Edge::step);
  auto edge = std::ranges::lower_bound(edges, from, {}, &Edge::step);
  for (std::uint32_t i = from; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    std::vector<Stretch>& stretches = threads_[step.thread.index()].stretches;
    switch (step.kind) {
      case Step::Kind::Begin:
        stretches[step.index].K.join(stretches[step.index - 1].K);
        for (; edge != edges.end() && edge->step == i; ++edge) raise(stretches[step.index].K, edge->release);
        break;
      case Step::Kind::Learn:
        raise(stretches[step.index].K, step.from);
        break;
      case Step::Kind::Release:
        condition_3(ended_[step.index]);
        break;
    }
  }
}

std::vector<MustBefore::Pair> MustBefore::settle() {
  for (bool grew = true; grew || repeat_from_ != kNever;) {
    if (repeat_from_ != kNever) repeat();
    const std::size_t edges = E_.size();
    for (std::size_t t = 0; t < threads_.size(); ++t)
      for (const Open& open : threads_[t].open)
        condition_3({open, Epoch(ThreadId(t), threads_[t].now),
                     static_cast<std::uint32_t>(threads_[t].stretches.size() - 1)});
    grew = E_.size() > edges;
  }
  std::erase_if(B_, [&](const Pair& pair) { return K(pair.before).covers(pair.first_when); });
  begin_window();
  return std::exchange(B_, {});
}

void MustBefore::begin_window() {
  times_ += std::exchange(window_times_, 0);
  if (times_ > kMaxTimes) thin();
  E_.clear();
  ended_.clear();
  steps_.clear();
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    ThreadState& self = threads_[t];
    self.begun = kNever;
    self.published = 0;
    self.released = 0;
    if (self.open.empty()) continue;
    // The rest of a section that is still open can be ordered later, what came before cannot.
    begin_stretch(ThreadId(t));
    for (Open& open : self.open) {
      open.stretch = static_cast<std::uint32_t>(self.stretches.size() - 1);
      open.step = self.begun;
    }
  }
}

void MustBefore::thin() {
  times_ = 0;
  for (ThreadState& self : threads_) {
    halve(self.stretches);
    for (const Stretch& stretch : self.stretches) times_ += cost(stretch.K);
  }
}

std::span<const MustBefore::Section> MustBefore::H(LockId lock, ThreadId thread) const {
  if (lock.index() >= H_.size()) return {};
  const auto& sections = H_[lock.index()].sections;
  const auto found = sections.find(thread);
  return found == sections.end() ? std::span<const Section>() : found->second[0];
}

const MustBefore::Open* MustBefore::A(LockId lock) const {
  for (const ThreadState& self : threads_)
    for (const Open& open : self.open)
      if (open.lock == lock) return &open;
  return nullptr;
}

}  // namespace ravel
