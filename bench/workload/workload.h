// Workload: an endless, reproducible run of a made-up multithreaded program, as large traces for benchmarks
// need it.
//
// Each thread alternates between sections protected by a lock, in which it accesses variables of that lock,
// and stretches on variables of its own or on read-only shared ones; threads take turns in slices of random
// length. The run is well-formed and, unless races are asked for, free of races.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "event/event.h"
#include "trace/tables.h"

namespace ravel {

struct WorkloadParameters {
  std::uint32_t threads = 8;
  std::uint32_t locks = 64;
  std::uint32_t variables = 100'000;
  double contention = 0.5;    ///< part of the accesses that go to variables several threads use
  double nesting = 0.1;       ///< probability that a section contains another one
  double racy = 0.0;          ///< part of the sections that forget their lock
  double units = 0.0;         ///< part of the sections that are units of work
  std::uint32_t section = 6;  ///< mean accesses in a section
  std::uint32_t slice = 24;   ///< mean events before another thread runs
  std::uint64_t seed = 1;
};

class Workload {
 public:
  explicit Workload(const WorkloadParameters& parameters);

  const Tables& tables() const { return tables_; }
  /// Replaces `batch` by the next `count` events (a few more, to end whole sections, when `last`).
  void next(std::vector<Event>& batch, std::size_t count, bool last);

 private:
  struct Thread {
    std::vector<std::uint32_t> held;  ///< locks, innermost last
    std::uint32_t left = 0;           ///< accesses until the innermost section (or the stretch) ends
    bool in_unit = false;
    bool unprotected = false;  ///< in a section that forgot its lock
    std::uint32_t variable_lock = 0;
  };

  void step(ThreadId id, Thread& thread, bool winding_up);
  void enter(ThreadId id, Thread& thread, std::uint32_t lock);
  void leave(ThreadId id, Thread& thread);
  void access(ThreadId id, Thread& thread);
  void emit(EventKind kind, ThreadId thread, std::uint64_t target, std::uint32_t place,
            std::uint32_t width = 0);
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  bool chance(double probability) { return static_cast<double>(random_() >> 11) * 0x1p-53 < probability; }

  WorkloadParameters parameters_;
  Tables tables_;
  std::mt19937_64 random_;
  std::vector<Thread> threads_;
  std::vector<bool> taken_;  ///< by lock
  std::vector<Event>* out_ = nullptr;
  std::uint64_t position_ = 0;
};

}  // namespace ravel
