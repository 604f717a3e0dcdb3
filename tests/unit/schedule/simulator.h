// A tiny program that a strategy can drive: threads are lists of operations, and one runs at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "schedule/strategy.h"
#include "unit/schedule/support.h"

namespace ravel {

struct SimOperation {
  OperationKind kind = OperationKind::Read;
  int object = -1;          ///< of Lock and Unlock
  std::uint64_t time = 0;   ///< of Sleep
  std::uint32_t place = 0;  ///< Candidate::place
  std::uint32_t until = 0;  ///< done again and again until this flag is set; 0: done once
  std::uint32_t sets = 0;   ///< a flag that it sets; 0: none
};

using SimThread = std::vector<SimOperation>;
using SimProgram = std::vector<SimThread>;

/// A step that was taken.
struct SimStep {
  std::uint32_t thread = 0;
  std::size_t operation = 0;  ///< which of the thread's
  OperationKind kind = OperationKind::Read;
  std::uint64_t syncs = 0;
  std::uint64_t ordinal = 0;
  std::uint32_t place = 0;

  friend bool operator==(const SimStep&, const SimStep&) = default;
  friend std::ostream& operator<<(std::ostream& out, const SimStep& step) {
    return out << step.thread << ":" << operation_text(step.kind);
  }
};

/// "0" for the first, and "0.0", "0.1", ... for the others, which are there from the start.
inline std::string sim_path(std::uint32_t thread) {
  return thread == 0 ? "0" : "0." + std::to_string(thread - 1);
}

inline bool sim_synchronizes(OperationKind kind) {
  return kind != OperationKind::Read && kind != OperationKind::Write && !lets_others_run(kind);
}

class Simulator {
 public:
  static constexpr std::size_t kMostSteps = 1'000'000;

  explicit Simulator(const SimProgram& program) : program_(program), threads_(program.size()) {
    for (std::uint32_t i = 0; i < program.size(); ++i) threads_[i].path = sim_path(i);
  }

  /// Runs until all threads have ended, nobody can run, or it takes too long.
  std::vector<SimStep> run(Strategy& strategy) {
    std::vector<SimStep> steps;
    while (steps.size() < kMostSteps) {
      const std::vector<Candidate> candidates = runnable();
      if (candidates.empty()) break;
      Moment now{steps.size(), candidates, Moment::kNobody};
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!steps.empty() && candidates[i].thread == steps.back().thread && !candidates[i].by_time) {
          now.current = i;
        }
      }
      steps.push_back(take(candidates.at(strategy.choose(now))));
    }
    return steps;
  }

  bool all_ended() const {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (threads_[i].at < program_[i].size()) return false;
    }
    return true;
  }
  std::uint64_t time() const { return time_; }

 private:
  struct Thread {
    std::string path;
    std::size_t at = 0;
    bool asleep = false;
    std::uint64_t deadline = 0;
    std::uint64_t syncs = 0;
    std::uint64_t ordinal = 0;
  };

  bool has(const std::vector<bool>& bits, std::size_t i) const { return i < bits.size() && bits[i]; }
  void set(std::vector<bool>& bits, std::size_t i, bool value) {
    if (i >= bits.size()) bits.resize(i + 1);
    bits[i] = value;
  }

  std::vector<Candidate> runnable() const {
    std::vector<Candidate> candidates;
    for (std::uint32_t i = 0; i < threads_.size(); ++i) {
      const Thread& thread = threads_[i];
      if (thread.at == program_[i].size()) continue;
      const SimOperation& next = program_[i][thread.at];
      if (next.kind == OperationKind::Lock && has(locked_, static_cast<std::size_t>(next.object))) continue;
      candidates.push_back({i,
                            {thread.path},
                            next.kind,
                            thread.asleep,
                            thread.deadline,
                            thread.syncs,
                            thread.ordinal,
                            next.place});
    }
    return candidates;
  }

  SimStep take(const Candidate& chosen) {
    Thread& thread = threads_[chosen.thread];
    const SimOperation& operation = program_[chosen.thread][thread.at];
    const SimStep step{chosen.thread, thread.at,      operation.kind,
                       thread.syncs,  thread.ordinal, operation.place};
    if (operation.kind == OperationKind::Sleep && !thread.asleep) {
      thread.asleep = true;
      thread.deadline = time_ + operation.time;
      return step;
    }
    if (thread.asleep && thread.deadline > time_) time_ = thread.deadline;
    thread.asleep = false;
    if (operation.kind == OperationKind::Lock) set(locked_, static_cast<std::size_t>(operation.object), true);
    if (operation.kind == OperationKind::Unlock) {
      set(locked_, static_cast<std::size_t>(operation.object), false);
    }
    if (operation.sets != 0) set(flags_, operation.sets, true);
    if (sim_synchronizes(operation.kind)) {
      ++thread.syncs;
      thread.ordinal = 0;
    } else {
      ++thread.ordinal;
    }
    if (operation.until == 0 || has(flags_, operation.until)) ++thread.at;
    return step;
  }

  const SimProgram& program_;
  std::vector<Thread> threads_;
  std::vector<bool> locked_;
  std::vector<bool> flags_;
  std::uint64_t time_ = 0;
};

/// A strategy with its memory, made as the runtime makes it.
class MadeStrategy {
 public:
  explicit MadeStrategy(const Schedule& schedule) : strategy_(make_strategy(schedule, arena_)) {}

  explicit operator bool() const { return strategy_ != nullptr; }
  Strategy& operator*() { return *strategy_; }
  Strategy* operator->() { return strategy_; }

 private:
  HeapBlocks blocks_;
  Arena arena_{HeapBlocks::more, &blocks_};
  Strategy* strategy_;
};

inline Schedule schedule_with(std::string_view strategy, std::uint64_t seed = 0) {
  Schedule schedule;
  schedule.strategy = strategy;
  schedule.seed = seed;
  return schedule;
}

inline std::vector<SimStep> run(const SimProgram& program, const Schedule& schedule) {
  MadeStrategy strategy(schedule);
  return Simulator(program).run(*strategy);
}

inline Step counted_step(std::string_view thread, std::uint64_t syncs, std::uint64_t ordinal) {
  Step step;
  step.thread.text = thread;
  step.syncs = syncs;
  step.ordinal = ordinal;
  return step;
}

inline Step placed_step(std::string_view place, std::uint64_t occurrence, std::string_view thread = "") {
  Step step;
  step.thread.text = thread;
  step.place = place;
  step.occurrence = occurrence;
  return step;
}

/// The threads that ran, one digit a step: "0011".
inline std::string order_of(const std::vector<SimStep>& steps) {
  std::string order;
  for (const SimStep& step : steps) order += static_cast<char>('0' + step.thread);
  return order;
}

inline std::size_t switches(const std::vector<SimStep>& steps) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < steps.size(); ++i) count += steps[i].thread != steps[i - 1].thread ? 1 : 0;
  return count;
}

/// `count` threads of `steps` reads each.
inline SimProgram readers(std::size_t count, std::size_t steps) { return {count, SimThread(steps)}; }

}  // namespace ravel
