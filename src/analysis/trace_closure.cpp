#include "analysis/trace_closure.h"

#include <algorithm>

#include "analysis/resolver.h"

namespace ravel {
namespace {

constexpr std::uint32_t kNoLock = ~std::uint32_t{0};

bool reads_memory(EventKind kind) {
  return kind == EventKind::Read || kind == EventKind::AtomicLoad || kind == EventKind::AtomicRmw;
}

}  // namespace

TraceClosure::TraceClosure(const TraceContext& context)
    : context_(context), filtered_(context.header.filter != FilterLevel::None) {}

LineId TraceClosure::add_line() {
  const LineId line = history_.add_line();
  history_.set_past(line, past_.emplace_back(history_));
  steps_.emplace_back();
  return line;
}

LineId TraceClosure::line(ThreadId thread) {
  if (thread.index() >= lines_.size()) lines_.resize(thread.index() + 1);
  LineId& line = lines_[thread.index()];
  if (!line.valid()) {
    line = add_line();
  }
  return line;
}

TraceClosure::Variable& TraceClosure::variable(VariableId id) {
  if (id.index() >= variables_.size())
    variables_.resize(std::max(id.index() + 1, variables_.size() + variables_.size() / 2));
  return variables_[id.index()];
}

void TraceClosure::need(LineId line, Mark at, Reached what, Need why) {
  if (what.mark == 0 || what.line == line) return;
  SyncClosure& past = past_[line.index()];
  // What the past has need not be said again, but for what counts by itself (SyncClosure::Rules::Order).
  if (why != Need::Order && past.has(what)) return;
  history_.need(line, at, what, why);
  past.include({line, at});
  past.checkpoint(line);
}

void TraceClosure::defer(const Event& event, Reached what, Need why) {
  deferred_position_ = event.position;
  deferred_.push_back({line(event.thread), mark_of(event.position), what, why});
}

void TraceClosure::flush() {
  for (const Deferred& deferred : deferred_) need(deferred.line, deferred.at, deferred.what, deferred.why);
  deferred_.clear();
}

/// What the reader of a write needs.
Reached TraceClosure::source(const LastWrite& write, Mark now) const {
  if (!filtered_ || write.mark == 0) return {write.line, write.mark};
  const std::vector<Mark>& steps = steps_[write.line.index()];
  return {write.line, std::max(write.mark, before(write.step < steps.size() ? steps[write.step] : now))};
}

SyncClosure& TraceClosure::about_to(const Event& event) {
  const LineId self = line(event.thread);
  SyncClosure& past = past_[self.index()];
  past.include({self, before(mark_of(event.position))});
  return past;
}

void TraceClosure::prepare(const Event& event) {
  flush(event.position);
  if (event.kind == EventKind::Split) {
    const Variable whole = variable(event.split_from());
    variable(event.variable()) = whole;
    return;
  }
  if (!is_access(event.kind) || kRetroAccesses.has(event.kind) || blocks_.empty()) return;
  Variable& state = variable(event.variable());
  if (!state.known) {
    state.known = true;
    state.block = find_block(context_.variables.address(event.variable()));
  }
  const LineId self = line(event.thread);
  need(self, before(mark_of(event.position)), state.block, Need::Memory);
}

void TraceClosure::perform(std::span<const Event> parts) {
  const LineId self = line(parts.front().thread);
  const Mark now = mark_of(parts.front().position);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Event& event = parts[i];
    if (event.kind == EventKind::Retire) {
      Variable& gone = variable(event.variable());
      if (gone.last_write.mark != 0 && event.ended_by() != EventKind::Alloc)
        defer(event, source(gone.last_write, now), Need::Reading);
      gone = {};
      continue;
    }
    if (!is_access(event.kind) || kRetroAccesses.has(event.kind)) continue;
    Variable& state = variable(event.variable());
    if (reads_memory(event.kind) && state.last_write.mark != 0 && state.last_write.line != self) {
      const Reached write = source(state.last_write, now);
      if (!past_[self.index()].has(write)) defer(event, write, Need::Reading);
    }
    // Of a block that is freed the writes to its parts are no writes of values.
    const bool frees = i + 1 < parts.size() && parts[i + 1].kind == EventKind::Retire &&
                       parts[i + 1].variable() == event.variable();
    if (is_write(event.kind) && !frees)
      state.last_write = {self, now, filtered_ ? static_cast<std::uint32_t>(steps_[self.index()].size()) : 0};
  }
  if (filtered_ && std::ranges::any_of(parts, [](const Event& part) { return kTimeSteps.has(part.kind); }))
    steps_[self.index()].push_back(now);
}

void TraceClosure::step(const Event& event) {
  if (filtered_ && kTimeSteps.has(event.kind))
    steps_[line(event.thread).index()].push_back(mark_of(event.position));
}

void TraceClosure::consume(const Event& event) {
  flush(event.position);
  const Mark now = mark_of(event.position);
  switch (event.kind) {
    case EventKind::Split:
      return prepare(event);
    case EventKind::Retire:
      return perform({&event, 1});
    case EventKind::Acquire:
    case EventKind::AcquireShared:
      acquire(event);
      break;
    case EventKind::Release:
    case EventKind::ReleaseShared: {
      const LineId self = line(event.thread);
      history_.end_section(self, lock(event.lock()), {self, now});
      break;
    }
    case EventKind::Fork: {
      const LineId self = line(event.thread);
      need(line(event.other_thread()), now, {self, now}, Need::Order);
      break;
    }
    case EventKind::Join: {
      const LineId other = line(event.other_thread());
      need(line(event.thread), now, {other, before(now)}, Need::Order);
      break;
    }
    case EventKind::BarrierEnter:
    case EventKind::BarrierExit:
      barrier(event);
      break;
    case EventKind::WaitBegin:
    case EventKind::WaitEnd:
    case EventKind::Notify:
    case EventKind::NotifyAll:
      wait(event);
      break;
    case EventKind::Alloc:
    case EventKind::Free:
    case EventKind::ObjectBegin:
    case EventKind::ObjectEnd:
      block(event);
      break;
    default:
      break;
  }
  step(event);
}

void TraceClosure::consume(std::span<const Event> batch) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!is_access(batch[i].kind) && !kVariableLifetime.has(batch[i].kind)) {
      consume(batch[i]);
      continue;
    }
    const std::span<const Event> parts = batch.subspan(i, count_parts(batch, i));
    for (const Event& part : parts) prepare(part);
    perform(parts);
    for (const Event& part : parts)
      if (!is_access(part.kind) && !kVariableLifetime.has(part.kind)) consume(part);
    i += parts.size() - 1;
  }
}

std::uint32_t TraceClosure::lock(LockId id) {
  if (id.index() >= lock_ids_.size()) lock_ids_.resize(id.index() + 1, kNoLock);
  std::uint32_t& number = lock_ids_[id.index()];
  if (number != kNoLock) return number;
  // Another lock in the same memory: what it needs is what ended the one before, and its sections with it.
  const std::uint64_t address = context_.resolver.lock_address(id);
  const auto [at, fresh] = lock_at_.try_emplace(address, static_cast<std::uint32_t>(locks_.size()));
  if (fresh) locks_.emplace_back();
  number = at->second;
  locks_[number].block = find_block(address);
  if (!fresh && locks_[number].block.mark != 0) history_.end_sections(number, locks_[number].block);
  return number;
}

std::uint32_t TraceClosure::known_lock(LockId id) const {
  return id.index() < lock_ids_.size() ? lock_ids_[id.index()] : kNoLock;
}

void TraceClosure::acquire(const Event& event) {
  const LineId self = line(event.thread);
  const Mark now = mark_of(event.position);
  const std::uint32_t id = lock(event.lock());
  SyncClosure& past = past_[self.index()];
  need(self, before(now), locks_[id].block, Need::Memory);
  history_.begin_section(self, now, id, event.kind == EventKind::AcquireShared);
  past.include({self, now});
  past.checkpoint(self);
}

void TraceClosure::barrier(const Event& event) {
  Barrier& b = barriers_[event.lock()];
  const LineId self = line(event.thread);
  const Mark now = mark_of(event.position);
  if (!b.passages.valid()) {
    b.passages = add_line();
  }
  if (event.kind == EventKind::BarrierEnter) {
    if (b.left) {
      b.left = false;
      b.arrived.clear();
    }
    need(self, now, {b.passages, b.passage}, Need::Order);
    b.arrived.push_back({self, now});
    b.inside[event.thread] = 0;  // the one that nobody has left yet
    return;
  }
  const auto entered = b.inside.find(event.thread);
  if (entered == b.inside.end()) return;  // the trace began while the thread was inside
  if (entered->second == 0) {
    // The first one to leave proves that all have arrived.
    b.left = true;
    b.passage = now;
    for (const Reached& arrival : b.arrived) need(b.passages, now, arrival, Need::Order);
    for (auto& [thread, passage] : b.inside)
      if (passage == 0) passage = now;
  }
  need(self, now, {b.passages, entered->second}, Need::Order);
  b.inside.erase(entered);
}

void TraceClosure::wait(const Event& event) {
  Condition& c = conditions_[event.lock()];
  const LineId self = line(event.thread);
  const Mark now = mark_of(event.position);
  if (event.kind == EventKind::WaitBegin) {
    c.open[event.thread] = c.begun.size();
    c.begun.push_back({event.thread, {self, now}});
    return;
  }
  if (event.kind == EventKind::WaitEnd) {
    const auto opened = c.open.find(event.thread);
    if (opened == c.open.end()) return;
    const Mark begin = c.begun[opened->second].begin.mark;
    for (const auto& [thread, notify] : c.notified)
      if (thread != event.thread && notify.mark > begin) need(self, now, notify, Need::Order);
    c.open.erase(opened);
    return;
  }
  std::size_t& seen = c.seen[event.thread];
  for (; seen < c.begun.size(); ++seen) {
    const Condition::Wait& wait = c.begun[seen];
    const auto opened = c.open.find(wait.thread);
    if (wait.thread != event.thread && opened != c.open.end() && opened->second == seen)
      need(self, now, wait.begin, Need::Order);
  }
  c.notified[event.thread] = {self, now};
}

Reached TraceClosure::find_block(std::uint64_t address) const {
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return {};
  const auto& [begin, found] = *std::prev(after);
  return address < found.end ? found.event : Reached{};
}

void TraceClosure::block(const Event& event) {
  const LineId self = line(event.thread);
  const Reached now{self, mark_of(event.position)};
  const std::uint64_t begin = event.address();
  const std::uint64_t end = begin + event.width;
  if (begin == end) return;
  auto old = blocks_.upper_bound(begin);
  if (old != blocks_.begin()) --old;
  while (old != blocks_.end() && old->first < end) {
    const auto [old_begin, block] = *old;
    if (block.end <= begin) {
      ++old;
      continue;
    }
    if (event.kind != EventKind::Alloc) defer(event, block.event, Need::Memory);
    old = blocks_.erase(old);
    if (old_begin < begin) blocks_[old_begin] = {begin, block.event};
    if (block.end > end) blocks_[end] = block;
  }
  blocks_[begin] = {end, now};
  if (event.kind == EventKind::Alloc) lock_at_.erase(lock_at_.lower_bound(begin), lock_at_.lower_bound(end));
}

}  // namespace ravel
