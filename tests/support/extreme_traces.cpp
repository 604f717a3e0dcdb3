#include "support/extreme_traces.h"

#include <fmt/format.h>

#include <array>

namespace ravel {
namespace {

/// Calls a function with the number of each step and takes the events that it adds.
class GeneratedTrace : public TraceReader {
 public:
  Result<void> next(std::vector<Event>& batch) final {
    batch.clear();
    out_ = &batch;
    while (batch.size() < kBatchEvents && step_ < steps_) step(step_++);
    return {};
  }
  Result<void> rewind() final {
    step_ = position_ = 0;
    return {};
  }

 protected:
  GeneratedTrace(std::uint64_t steps, std::uint32_t threads, std::uint32_t locks, std::uint32_t variables)
      : TraceReader("generated"), steps_(steps) {
    for (std::uint32_t i = 0; i < threads; ++i) tables_.threads.push_back(fmt::format("{}", i));
    for (std::uint32_t i = 0; i < locks; ++i) tables_.locks.push_back(fmt::format("l{}", i));
    tables_.variables.emplace_back("x");
    for (std::uint32_t i = 1; i < variables; ++i) tables_.variables.push_back(fmt::format("v{}", i));
    tables_.places.push_back({"", 1, ""});
  }

  virtual void step(std::uint64_t number) = 0;
  std::uint64_t steps() const { return steps_; }

  void emit(EventKind kind, std::uint64_t thread, std::uint64_t target, std::uint32_t width = 0) {
    Event event;
    event.kind = kind;
    event.thread = ThreadId(static_cast<std::uint32_t>(thread));
    event.target = target;
    event.width = width;
    event.place = PlaceId(0U);
    event.position = ++position_;
    out_->push_back(event);
  }
  void lock(EventKind kind, std::uint64_t thread, std::uint32_t number = 0) {
    emit(kind, thread, synthetic_address(TargetSpace::Lock, number));
  }
  void access(EventKind kind, std::uint64_t thread, std::uint64_t variable) {
    emit(kind, thread, synthetic_address(TargetSpace::Variable, static_cast<std::uint32_t>(variable)),
         kSyntheticWidth);
  }
  void fork_all(std::uint32_t threads) {
    for (std::uint32_t t = 1; t < threads; ++t) emit(EventKind::Fork, 0, t);
  }

 private:
  const std::uint64_t steps_;
  std::uint64_t step_ = 0;
  std::uint64_t position_ = 0;
  std::vector<Event>* out_ = nullptr;
};

enum class Sections : std::uint8_t { Clashing, Apart, Reading };

/// Threads take turns in sections of one lock. The first one has written x before, the last one reads it
/// after.
class OneLock final : public GeneratedTrace {
 public:
  OneLock(std::uint64_t size, Sections kind)
      : GeneratedTrace(size + 2, kThreads, 1, kThreads + 2), kind_(kind) {}

 private:
  static constexpr std::uint32_t kThreads = 9;

  void step(std::uint64_t number) override {
    if (number == 0) {
      fork_all(kThreads);
      return access(EventKind::Write, 1, 0);
    }
    if (number + 1 == steps()) return access(EventKind::Read, kThreads - 1, 0);
    const std::uint64_t thread = 1 + (number - 1) % (kThreads - 1);
    const bool shared = kind_ == Sections::Reading && number % 1000 != 0;
    lock(shared ? EventKind::AcquireShared : EventKind::Acquire, thread);
    access(EventKind::Read, thread, kThreads + 1);
    if (!shared) access(EventKind::Write, thread, kind_ == Sections::Clashing ? kThreads : thread);
    lock(shared ? EventKind::ReleaseShared : EventKind::Release, thread);
  }

  const Sections kind_;
};

/// Every thread is in a section most of the time, and these overlap: each takes one of the locks, waits for
/// the others to have their turn, and takes a second one within. If they race, each also writes x once a
/// round under one lock and once under another.
class ManyThreads final : public GeneratedTrace {
 public:
  ManyThreads(std::uint64_t threads, bool race)
      : GeneratedTrace(1 + kRounds * threads, static_cast<std::uint32_t>(threads),
                       kInner + static_cast<std::uint32_t>(threads) + (race ? 2 : 0),
                       1 + kInner + static_cast<std::uint32_t>(threads)),
        threads_(static_cast<std::uint32_t>(threads)),
        race_(race) {}

 private:
  static constexpr std::uint32_t kRounds = 100, kInner = 64;

  void step(std::uint64_t number) override {
    if (number == 0) {
      fork_all(threads_);
      return access(EventKind::Write, 1, 0);
    }
    const std::uint64_t turn = number - 1, thread = turn % threads_, round = turn / threads_;
    // The lock of the round moves on by one, so that everybody has everybody else's once.
    const auto outer = [&](std::uint64_t of) {
      return kInner + static_cast<std::uint32_t>((thread + of) % threads_);
    };
    if (round > 0) {
      const std::uint32_t inner = static_cast<std::uint32_t>((thread * 7 + round) % kInner);
      lock(EventKind::Acquire, thread, inner);
      access(EventKind::Read, thread, 1 + inner);
      access(EventKind::Write, thread, 1 + inner);
      lock(EventKind::Release, thread, inner);
      access(EventKind::Write, thread, 1 + kInner + thread);
      lock(EventKind::Release, thread, outer(round - 1));
      if (race_) {
        for (const std::uint32_t own : {kInner + threads_, kInner + threads_ + 1}) {
          lock(EventKind::Acquire, thread, own);
          access(EventKind::Write, thread, 0);
          lock(EventKind::Release, thread, own);
        }
      }
    }
    if (round + 1 < kRounds) return lock(EventKind::Acquire, thread, outer(round));
    if (thread + 1 == threads_) access(EventKind::Read, thread, 0);
  }

  const std::uint32_t threads_;
  const bool race_;
};

/// Two threads take turns in sections that access all variables.
class LongSections final : public GeneratedTrace {
 public:
  explicit LongSections(std::uint64_t variables)
      : GeneratedTrace(2 + kRounds * (variables + 2), 3, 2, static_cast<std::uint32_t>(variables + 1)),
        variables_(variables) {}

 private:
  static constexpr std::uint64_t kRounds = 100;

  void step(std::uint64_t number) override {
    if (number == 0) {
      fork_all(3);
      return access(EventKind::Write, 1, 0);
    }
    if (number + 1 == steps()) return access(EventKind::Read, 2, 0);
    const std::uint64_t round = (number - 1) / (variables_ + 2), at = (number - 1) % (variables_ + 2);
    const std::uint64_t thread = 1 + round % 2;
    if (at == 0) return lock(EventKind::Acquire, thread);
    if (at > variables_) return lock(EventKind::Release, thread);
    // Now and then within a second lock.
    const bool inner = at % 100 == 0;
    if (inner) lock(EventKind::Acquire, thread, 1);
    access((at + round) % 3 == 0 ? EventKind::Write : EventKind::Read, thread, at);
    if (inner) lock(EventKind::Release, thread, 1);
  }

  const std::uint64_t variables_;
};

}  // namespace

std::span<const ExtremeTrace> extreme_traces() {
  using Reader = std::unique_ptr<TraceReader>;
  static constexpr std::array kTraces = {
      ExtremeTrace{
          "clashing sections of one lock", "sections", 1'000'000, "none",
          [](std::uint64_t size) -> Reader { return std::make_unique<OneLock>(size, Sections::Clashing); }},
      ExtremeTrace{
          "independent sections of one lock", "sections", 1'000'000, "race x",
          [](std::uint64_t size) -> Reader { return std::make_unique<OneLock>(size, Sections::Apart); }},
      ExtremeTrace{
          "readers of one lock", "sections", 1'000'000, "race x",
          [](std::uint64_t size) -> Reader { return std::make_unique<OneLock>(size, Sections::Reading); }},
      ExtremeTrace{"many threads", "threads", 2'000, "none",
                   [](std::uint64_t size) -> Reader { return std::make_unique<ManyThreads>(size, false); }},
      ExtremeTrace{"many threads that race", "threads", 2'000, "race x",
                   [](std::uint64_t size) -> Reader { return std::make_unique<ManyThreads>(size, true); }},
      ExtremeTrace{"many variables in a section", "variables", 10'000, "none",
                   [](std::uint64_t size) -> Reader { return std::make_unique<LongSections>(size); }},
  };
  return kTraces;
}

}  // namespace ravel
